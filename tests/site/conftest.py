"""The built site, for the tests of its pages."""

from tests.site_fixture import site

__all__ = ["site"]
