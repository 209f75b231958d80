"""What others find and cite: the versions agree, the links between files lead somewhere."""

import re
from pathlib import Path

import pwu_lite

ROOT = Path(__file__).parents[2]
TEXTS = ("README.md", "CONTRIBUTING.md", ".github/CODE_OF_CONDUCT.md", ".github/SUPPORT.md", "CITATION.cff",
         "packages/pwu_desk/README.md", "packages/pwu_book/README.md")


def test_the_citation_is_that_of_this_version_and_of_the_paper():
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {pwu_lite.__version__}\n" in citation and "2606.26990" in citation


def test_links_between_files_lead_somewhere():
    for name in TEXTS:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", (ROOT / name).read_text()):
            assert ((ROOT / name).parent / target).exists(), (name, target)
