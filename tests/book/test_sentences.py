"""Sentences about the project, read and held against it: counts, versions, licences, commands, Pythons."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import pwu_lite
from tools.checks.flips import kind_of

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen").split()
FACES = ["README.md", "CONTRIBUTING.md", ".github/SUPPORT.md", ".github/workflows/book.yml",
         ".github/workflows/release.yml", ".github/pull_request_template.md"]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def road():
    """The chapters: pages of the table of contents up to the record."""
    parts = yaml.safe_load(read("_toc.yml"))["parts"]
    kept = [part for part in parts if part["caption"] not in ("The record", "Teaching", "Reference")]
    return [ROOT / f"{chapter['file']}.md" for part in kept for chapter in part["chapters"]
            if (ROOT / f"{chapter['file']}.md").exists()]


def test_the_idea_has_as_many_points_as_it_says():
    page = read("book/start/idea.md")
    said = re.search(r"the whole answer in (\w+) points", page)[1]
    points = re.findall(r"^(\d+)\. \*\*", page, re.M)
    assert NUMBERS.index(said) == len(points)
    number = 0
    for listed in re.split(r"\n(?=## )", page):  # a list goes on where the one before ended
        own = re.findall(r"^(\d+)\. \*\*", listed, re.M)
        assert set(own) <= {str(number + 1)}, own
        number += len(own)


def test_the_settings_have_the_release():
    config = yaml.safe_load(read("_config.yml"))["sphinx"]["config"]
    assert config["release"] == pwu_lite.__version__
    assert config["version"] == ".".join(pwu_lite.__version__.split(".")[:2])


def test_the_licence_names_what_is_there():
    text = read("LICENSE") + read("tools/licenses/README.md")
    assert "MathJax" not in text
    for name in re.findall(r"tools/licenses/([\w-]+(?:\.[\w-]+)*)", text):
        assert (ROOT / "tools" / "licenses" / name).is_file(), name
    texts = {path.name for path in (ROOT / "tools" / "licenses").glob("*.txt")}
    assert {f"{name}.txt" for name in re.findall(r"\b(MPL-2\.0|Apache-2\.0)\b", text)} == texts
    for folder in re.findall(r"\((\w+)/[,)]", read("LICENSE")):
        assert (ROOT / folder).is_dir()


def test_the_docstring_says_what_importing_loads():
    said = ast.get_docstring(ast.parse(read("pwu_lite/__init__.py")))
    assert "Importing it loads numpy alone; scipy, pandas, matplotlib and sympy come" in said
    code = "import sys, pwu_lite; print(*('numpy' in sys.modules, 'scipy' in sys.modules, 'pandas' in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.split() == ["True", "False", "False"]


def test_every_file_means_the_same_pythons():
    """Classifiers, the Makefile, the gate, the matrix, the pages."""
    project = read("pyproject.toml")
    known = re.findall(r"Python :: (3\.\d+)\"", project)
    low, high = known[0], known[-1]
    assert known == [f"3.{minor}" for minor in range(int(low[2:]), int(high[2:]) + 1)]
    assert f'requires-python = ">={low}"' in project
    for name in ("Makefile", "README.md", ".ci/run", "book/start/idea.md"):
        assert set(re.findall(r"3\.\d+ to 3\.\d+", read(name))) == {f"{low} to {high}"}, name
    matrix = yaml.safe_load(read(".github/workflows/book.yml"))["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert matrix == known
    assert set(re.findall(r"python(3\.\d+)", read(".ci/run"))) == set(known)
    pair = f"({low.replace('.', ', ')}) <= "
    assert pair in read("Makefile") and pair in read(".ci/run")
    assert all(f"<= ({high.replace('.', ', ')})" in read(name) for name in ("Makefile", ".ci/run"))


def test_the_oldest_versions_that_are_tried_are_those_that_are_declared():
    project = read("pyproject.toml")
    tried = next(one for one in yaml.safe_load(read(".github/workflows/book.yml"))["jobs"]["versions"]["strategy"][
        "matrix"]["include"] if one["name"] == "oldest")["packages"].split()
    for package in tried:
        name, _, version = package.partition("==")
        declared = re.search(rf'"{name}>=([\d.]+)"', project)[1]
        assert version == declared or version == f"{declared}.0", package


def test_commands_that_a_page_names_exist():
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), re.M))
    scripts = {"build", "pytest", "venv", "pip", "jupyter", "http.server", "ruff", "mypy"}
    for name in FACES:
        text = read(name)
        if name.endswith(".md"):
            text = "\n".join(re.findall(r"`([^`\n]+)`", text) + re.findall(r"```\w*\n(.*?)```", text, re.S))
        for target in re.findall(r"\bmake(?: PYTHON=\S+)? ([a-z][\w-]*)", text):
            assert target in targets, f"{name}: make {target}"
        for module in re.findall(r"python[\d.]* -m ([\w.]+)", text):
            path = next((ROOT / home / module.replace(".", "/") for home in ("packages", ".")
                         if (ROOT / home / module.split(".")[0]).exists()), ROOT / module)
            assert module in scripts or path.with_suffix(".py").exists() or (path / "__main__.py").exists(), (
                f"{name}: {module}")
        for file in re.findall(r"\b(requirements[\w-]*\.txt)", text):
            assert (ROOT / file).is_file(), f"{name}: {file}"
    stages = re.search(r"for stage in (.*); do", read(".ci/run"))[1].split()
    assert set(stages) <= targets and "test" in stages


def test_the_readme_counts_what_is_there():
    text = read("README.md")
    decks = NUMBERS[len(list((ROOT / "book/teaching").glob("slides_*.md")))]
    assert f"{decks} decks of slides" in text
    kit = read("book/teaching/kit.md")
    assert "Three courses (ninety minutes, a week, a seminar)" in text
    assert all(re.search(rf"^#+ .*{word}", kit, re.M | re.I) for word in ("ninety minutes|90", "week", "seminar"))
    graded = sorted((ROOT / "book" / "teaching" / "graded").glob("[0-9]*.md"))
    numbered = [path for path in graded if path.stem[:2].isdigit()]
    assert len({path.stem[:2] for path in numbered}) == len(numbered) and "two graded exercises a chapter" in text
    assert all(len(re.findall(r"^## ", path.read_text(), re.M)) == 2 for path in numbered)


def test_the_readme_s_map_names_folders_that_are_there():
    rows = re.findall(r"^\| `([\w/-]+)/` \| (.*) \|$", read("README.md"), re.M)
    assert len(rows) >= 6
    for folder, holds in rows:
        assert (ROOT / folder).is_dir(), folder
        for inner in re.findall(r"`([\w-]+)/`", holds):
            assert any((ROOT / parent / inner).is_dir() for parent in (folder, "pwu_lite")), f"{folder}/{inner}"


def test_no_card_hides_what_every_reader_needs():
    """The short path: each card that promises to hide something has marked sections, and no fixed one is among them."""
    fixed = ("Take-aways", "Three quick questions", "Exercises", "Back at the clinic", "Where to go next")
    for path in road():
        text = path.read_text()
        heads = re.findall(r"```\{rst-class\} long\n```\n(?:\([\w-]+\)=\n)?#+ (.*)", text)
        marked = heads or re.search(r"tags:.*\blong\b", text)
        assert bool(re.search(r"\*\*Short path\*\* \(\d+ minutes\) hides ", text)) == bool(marked), path.name
        assert not set(heads) & set(fixed), f"{path.name} hides {heads}"
        card = re.search(r"hides ([^.]*)\.", text)
        if heads and card:  # as many things as sections, or fewer
            assert len(heads) <= 2 * len(re.split(r", and |, | and ", card[1])), path.name


def test_each_theorem_is_followed_by_a_cell_that_would_fail():
    """README says so: an assertion in the same section, before the next theorem, on every page of the road."""
    assert re.search(r"each theorem is followed by a cell that fails if it is false", read("README.md"))
    bare = []
    for path in road():
        pieces = re.split(r"^(?=`{3,}\{prf:(?:theorem|proposition|lemma|corollary)\})", path.read_text(), flags=re.M)
        for piece in (piece.partition("\n## ")[0] for piece in pieces[1:]):
            cells = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```", piece, re.S | re.M)
            if not any(re.search(r"\bassert\b|raises\(", cell) for cell in cells):
                bare.append(f"{path.name}: {re.search(r':label: (.*)', piece)[1]}")
    assert not bare


def test_a_flip_changes_the_code_an_example_or_a_table():
    flips = yaml.safe_load(read("tests/book/flips.yml"))
    assert {kind_of(flip) for flip in flips} == {"code", "example", "table"}


def test_the_top_level_shows_the_card():
    """What a stranger sees first: at most eighteen things beside .gitignore."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a checkout")
    top = {name.split("/")[0] for name in listed.stdout.split()} - {".gitignore"}
    assert len(top) <= 18, sorted(top)
    assert {"README.md", "book", "pwu_lite", "packages", "tests", "requirements.txt", "_config.yml", "_toc.yml"} <= top


def test_each_row_of_the_map_is_true():
    """Files are there, and so is what the row names in them."""
    table = read("CONTRIBUTING.md").partition("| Where is |")[2]
    rows = re.findall(r"^\| (?:the|what|an?) [^|]* \| (.*) \|$", table, re.M)
    assert len(rows) == 12
    for row in rows:
        named = re.findall(r"`([\w./]+)`", row)
        files = [name for name in named if "/" in name]
        assert files and all((ROOT / name).is_file() for name in files), row
        for name in set(named) - set(files):
            last = name.rpartition(".")[2]
            assert any(re.search(rf"\b{last}\b", read(file)) for file in files), f"{name}: {row}"
