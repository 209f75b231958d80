"""What others find and cite: the papers' keys exist, the versions agree, the words are true."""

import json
import re
from pathlib import Path

import pwu_lite

ROOT = Path(__file__).parents[2]
TEXTS = ("README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SUPPORT.md", "paper.md", "CITATION.cff", ".zenodo.json")


def test_the_paper_cites_what_is_in_the_bibliography():
    paper, bibliography = (ROOT / "paper.md").read_text(), (ROOT / "book" / "references.bib").read_text()
    cited = re.findall(r"\[@(\w+)\]", paper)
    assert cited and all(re.search(rf"^@\w+{{{key},", bibliography, re.M) for key in cited)
    for part in ("Statement of need", "Learning objectives", "How it has been used"):
        assert f"\n# {part}\n" in paper


def test_every_file_says_the_same_of_the_book():
    zenodo = json.loads((ROOT / ".zenodo.json").read_text())
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {pwu_lite.__version__}\n" in citation and zenodo["license"] == "MIT"
    name = zenodo["creators"][0]["name"]
    assert name in citation and name in (ROOT / "paper.md").read_text()
    assert "2606.26990" in citation and zenodo["related_identifiers"][0]["identifier"] == "arXiv:2606.26990"


def test_links_between_files_lead_somewhere():
    for name in TEXTS:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", (ROOT / name).read_text()):
            assert (ROOT / target).exists(), (name, target)
