"""The doctests of the packages, in the browser's Python: how many lines, and what the modules that fail say."""

import contextlib
import doctest
import importlib
import io
import json
import pkgutil

import matplotlib  # noqa: F401  (what a page loads is what it imports)
import pandas  # noqa: F401
import scipy  # noqa: F401
import sklearn  # noqa: F401
import sympy  # noqa: F401

import pwu_desk
import pwu_lite

count, failed = 0, []
for package in (pwu_lite, pwu_desk):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if module.name.endswith("__main__"):
            continue
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            result = doctest.testmod(importlib.import_module(module.name))
        count += result.attempted
        failed += [f"{module.name}: {said.getvalue()[-1500:]}"] if result.failed else []
print(json.dumps({"count": count, "failed": failed}))
