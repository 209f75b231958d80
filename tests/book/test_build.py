"""The build is strict and never stale: a small book is built, changed, and built again."""

import concurrent.futures
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from jupyter_cache import get_cache

ROOT = Path(__file__).resolve().parents[2]
HEADER = """---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
file_format: mystnb
---

"""


@pytest.fixture
def small(tmp_path):
    """A copy of the tools, the settings and a package of one function, with a book of two pages."""
    for folder in ("tools", "book/_static", "LICENSES"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for file in ("_config.yml", "requirements.txt", "pyproject.toml", "book/references.bib"):
        shutil.copy(ROOT / file, tmp_path / file)
    config = tmp_path / "_config.yml"
    config.write_text(re.sub(r"(?m)^ *moved_pages:.*\n", "", config.read_text()))
    (tmp_path / "pwu_lite").mkdir()
    (tmp_path / "pwu_lite" / "__init__.py").write_text("def answer():\n    return 'forty-one'\n")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/index\nchapters:\n  - file: book/chapter\n")
    (tmp_path / "book" / "index.md").write_text("# Start\n\nSee {doc}`chapter`.\n")
    write(tmp_path, "import pwu_lite\npwu_lite.answer()")
    return tmp_path


def write(root, code, text="Text."):
    page = f"{HEADER}# Chapter\n\n{text}\n\n```{{code-cell}} ipython3\n{code}\n```\n"
    (root / "book" / "chapter.md").write_text(page)


def build(root, **settings):
    environment = {**os.environ, "PYTHONPATH": str(root), **settings}
    return subprocess.run([sys.executable, str(root / "tools" / "build_book.py"), str(root)], cwd=root,
                          env=environment, capture_output=True, text=True)


def page(root):
    return (root / "_build" / "html" / "book" / "chapter.html").read_text()


def test_editing_the_package_changes_the_page(small):
    assert build(small).returncode == 0
    assert "forty-one" in page(small)
    (small / "pwu_lite" / "__init__.py").write_text("def answer():\n    return 'forty-two'\n")
    done = build(small)
    assert done.returncode == 0, done.stderr
    assert "forty-two" in page(small) and "forty-one" not in page(small)
    assert "executing" not in build(small).stdout  # nothing changed, nothing runs


def test_editing_the_pins_executes_again(small):
    assert build(small).returncode == 0
    (small / "requirements.txt").write_text((small / "requirements.txt").read_text() + "# another pin\n")
    assert "executing 1 of 1" in build(small).stdout


def test_a_page_edited_while_it_runs_is_named(small):
    path = str(small / "book" / "chapter.md")
    write(small, f"from pathlib import Path\nedited = 0\npage = Path({path!r})\n"
                 "_ = page.write_text(page.read_text().replace('edited = 0', 'edited = 1'))")
    done = build(small)
    assert done.returncode == 1 and "was edited while it ran; build again" in done.stdout


def test_a_failing_cell_fails_the_build_again_and_again(small):
    write(small, "print('fine')\n1 / 0")
    for _ in range(2):
        done = build(small)
        assert done.returncode == 1
        assert "book/chapter.md, code cell 1" in done.stderr
        assert "ZeroDivisionError" in done.stderr
    write(small, "'mended'")
    assert build(small).returncode == 0
    assert "mended" in page(small)


def test_a_chapter_whose_kernel_dies_is_run_once_more(small):
    write(small, "import os, pathlib\nmark = pathlib.Path('../died')\n"
                 "if not mark.exists():\n    mark.write_text('once')\n    os._exit(1)\n'alive'")
    done = build(small)
    assert done.returncode == 0, done.stderr
    assert "alive" in page(small) and "once more" in done.stdout and "Kernel died" in done.stderr


def test_a_chapter_whose_kernel_always_dies_says_so(small):
    write(small, "import os\nos._exit(1)")
    for _ in range(2):
        done = build(small)
        assert done.returncode == 1
        assert "chapter.md: NOT RUN" in done.stdout and "Kernel died" in done.stderr


def test_one_address_links_every_page_to_its_source(small):
    assert build(small).returncode == 0
    assert "github.com/someone" not in page(small) and "og:image" not in page(small)
    assert not (small / "_build" / "html" / "sitemap.xml").exists()
    assert "- [Chapter](book/chapter.html): " in (small / "_build" / "html" / "llms.txt").read_text()
    config = small / "_config.yml"
    config.write_text(config.read_text().replace('repository_url: ""', "repository_url: https://github.com/someone/book"))
    done = build(small)
    assert done.returncode == 0, done.stderr
    assert "https://github.com/someone/book/blob/main/book/chapter.md" in page(small)
    assert "https://github.com/someone/book/issues/new" in page(small)
    assert "https://colab.research.google.com/github/someone/book/blob/notebooks/book/chapter.ipynb" in page(small)
    assert "https://mybinder.org/v2/gh/someone/book/main?urlpath=lab/tree/book/chapter.md" in page(small)
    offered = (small / "_build" / "html" / "_sources" / "book" / "chapter.ipynb").read_text()
    assert "forty-one" in offered
    site = small / "_build" / "html"
    assert "<loc>https://someone.github.io/book/book/chapter.html</loc>" in (site / "sitemap.xml").read_text()
    assert "- [Chapter](https://someone.github.io/book/book/chapter.html): " in (site / "llms.txt").read_text()
    head = page(small).partition("</head>")[0]
    assert '<meta property="og:title" content="Chapter">' in head
    assert 'og:image" content="https://someone.github.io/book/_static/previews/chapter.png"' in head
    for name in ("chapter.png", "index.png"):
        size = (site / "_static" / "previews" / name).read_bytes()[16:24]
        assert size == bytes([0, 0, 4, 176, 0, 0, 2, 118])  # 1200 x 630


def test_notebooks_for_colab_install_what_they_need_first(small):
    assert build(small).returncode == 0
    (small / "_build" / "html" / "downloads").mkdir()
    (small / "_build" / "html" / "downloads" / "x-1-py3-none-any.whl").touch()
    done = subprocess.run([sys.executable, "tools/downloads.py", "https://some.host/book/", "mine"], cwd=small,
                          capture_output=True, text=True)
    assert done.stdout == "1 notebooks in mine\n", done.stderr
    first, *others = json.loads((small / "mine" / "book" / "chapter.ipynb").read_text())["cells"]
    assert first["source"] == ['%pip install -q "pwu_lite[book] @ https://some.host/book/downloads/x-1-py3-none-any.whl"']
    assert "forty-one" in str(others)


def test_two_builds_at_once_take_turns(small):
    write(small, "import time\ntime.sleep(3)\n'slow'")
    with concurrent.futures.ThreadPoolExecutor() as both:
        first, second = both.map(build, [small, small])
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert sorted("executing 1 of 1" in done.stdout for done in (first, second)) == [False, True]
    assert sorted("another build" in done.stdout for done in (first, second)) == [False, True]


@pytest.mark.parametrize("text, words", [("See {ref}`nowhere`.", "nowhere"), ("See [this](missing.md).", "missing"),
                                         ("![](../no_such_file.png)", "no_such_file")])
def test_a_broken_link_fails_the_build_again_and_again(small, text, words):
    write(small, "1", text)
    for _ in range(2):
        done = build(small)
        assert done.returncode == 1
        assert words in done.stderr and "chapter" in done.stderr


def test_text_on_stderr_of_a_cell_fails_the_build(small):
    write(small, "import warnings\nwarnings.warn('mind this')")
    assert build(small).returncode == 1


def test_a_chapter_without_its_header_is_not_silently_text(small):
    (small / "book" / "chapter.md").write_text("# Chapter\n\n```{code-cell} ipython3\n1\n```\n")
    done = build(small)
    assert done.returncode == 1
    assert "file_format" in done.stderr


KILLED = """
import os, shutil, signal, sys
sys.path.insert(0, "tools")
import build_book

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def first_file(folder):
    next(path for path in build_book.Path(folder).rglob("*") if path.is_file()).unlink()
    die()

{where}
sys.argv = ["build_book.py", "."]
build_book.main()
"""
STEPS = {"before deleting": "build_book.delete = die", "in the middle of deleting": "shutil.rmtree = first_file",
         "after deleting": "build_book.execute = die", "before the pages": "build_book.run_sphinx = die",
         "before the links": "build_book.check_links.main = die"}


@pytest.mark.parametrize("where", STEPS.values(), ids=STEPS)
def test_a_build_killed_at_any_step_leaves_nothing_stale(small, where):
    assert build(small).returncode == 0
    (small / "pwu_lite" / "__init__.py").write_text("def answer():\n    return 'forty-two'\n")
    killed = subprocess.run([sys.executable, "-c", KILLED.format(where=where)], cwd=small, capture_output=True,
                            env={**os.environ, "PYTHONPATH": str(small), "PYTHONUTF8": "1"})
    assert killed.returncode == -9
    done = build(small)
    assert done.returncode == 0, done.stderr
    assert "forty-two" in page(small) and "forty-one" not in page(small)


def test_what_cannot_be_deleted_fails_the_build(small):
    assert build(small).returncode == 0
    (small / "pwu_lite" / "__init__.py").write_text("def answer():\n    return 'forty-two'\n")
    refused = KILLED.format(where="def refuse(folder):\n    raise PermissionError(13, 'not allowed', str(folder))\n"
                                  "shutil.rmtree = refuse").replace("build_book.main()", "sys.exit(build_book.main())")
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", refused], cwd=small, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(small), "PYTHONUTF8": "1"})
        assert done.returncode == 1 and "cannot delete" in done.stderr
    assert build(small).returncode == 0
    assert "forty-two" in page(small)


@pytest.mark.parametrize("damage", ["no notebook", "half a notebook"])
def test_a_damaged_cache_is_made_again(small, damage):
    assert build(small).returncode == 0
    kept = next((small / "_build" / ".jupyter_cache").rglob("base.ipynb"))
    kept.unlink() if damage == "no notebook" else kept.write_text("")
    write(small, "import pwu_lite\npwu_lite.answer()", "Another text.")
    done = build(small)
    assert done.returncode == 0 and "damaged" in done.stdout
    assert "forty-one" in page(small) and "Another text" in page(small)


def test_any_file_beside_a_chapter_counts(small):
    data = small / "book" / "data.txt"
    data.write_text("seven")
    write(small, "open('data.txt').read()")
    assert build(small).returncode == 0 and "seven" in page(small)
    data.write_text("eight")
    assert build(small).returncode == 0 and "eight" in page(small)


def test_settings_of_the_reader_change_nothing(small, tmp_path_factory):
    """An IPython start-up file, a matplotlib style and a language that is not UTF-8."""
    home = tmp_path_factory.mktemp("home")
    startup = home / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("import pandas as pd\npd.set_option('display.precision', 1)\n")
    (home / "matplotlibrc").write_text("lines.linewidth: 9\n")
    write(small, "import matplotlib, pandas as pd\nprint(pd.Series([1.23456]))\n"
                 "print(matplotlib.rcParams['lines.linewidth'])", "Größe ≤ 1.")
    done = build(small, IPYTHONDIR=str(home / "ipython"), MATPLOTLIBRC=str(home / "matplotlibrc"), LC_ALL="POSIX",
                 PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0, done.stderr
    assert "1.23456" in page(small) and "1.5" in page(small) and "Größe" in page(small)


def test_the_table_of_contents_is_read_as_yaml(small):
    (small / "_toc.yml").write_text("format: jb-book\nroot: 'book/index'\n# - file: book/gone\nchapters:\n"
                                    "  - file: \"book/chapter\"\n")
    assert build(small).returncode == 0


FIGURES = """\"\"\"Two figures and what they share.\"\"\"

WIDTH = 3

def first():
    return "first " + _deep()

def second(kind="Plain"):
    return globals()[kind]().draw()

def unused():
    return 0

def _deep():
    return "deep"

class Plain:
    def draw(self):
        return f"drawn, {WIDTH} wide"

    def other(self):
        return "other"
"""


@pytest.fixture
def two(small):
    """A book of two chapters, each with its own figure of one module."""
    (small / "pwu_lite" / "figures.py").write_text(FIGURES)
    (small / "_toc.yml").write_text("format: jb-book\nroot: book/index\nchapters:\n  - file: book/chapter\n"
                                    "  - file: book/more/other\n")
    write(small, "---\ntags: [hide-input]\n---\nfrom pwu_lite import figures\nfigures.first()")
    (small / "book" / "more").mkdir()
    cell = ":tags: [hide-input]\nfrom pwu_lite.figures import second as drawn\n%precision 3\ndrawn()"
    (small / "book" / "more" / "other.md").write_text(f"{HEADER}# Other\n\n```{{code-cell}} ipython3\n{cell}\n```\n")
    assert build(small).returncode == 0
    return small


def test_a_chapter_keeps_its_outputs_whatever_another_adds(two):
    """jupyter-cache would count and delete after each chapter; with room for one, the first would lose its outputs."""
    get_cache(str(two / "_build" / ".jupyter_cache")).change_cache_limit(1)
    for path in (two / "book" / "chapter.md", two / "book" / "more" / "other.md"):
        path.write_text(path.read_text() + "\n```{code-cell} ipython3\n1 + 1\n```\n")
    done = build(two)
    assert done.returncode == 0 and "executing 2 of 2" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("old, new, chapters", [
    ('return "first "', 'return "the first "', ["chapter"]), ('return "deep"', 'return "deeper"', ["chapter"]),
    ("return globals()[kind]()", "return 1 and globals()[kind]()", ["other"]),
    ('f"drawn, {WIDTH} wide"', 'f"painted, {WIDTH} wide"', ["other"]), ("WIDTH = 3", "WIDTH = 4", ["chapter", "other"]),
    ('kind="Plain"', 'kind="Plain", more=1', ["chapter", "other"]), ("return 0", "return 1", []),
    ('return "other"', 'return "another"', []), ("# nothing", "# a comment", [])], ids=range(9))
def test_a_change_runs_the_chapters_that_it_can_reach_and_no_others(two, old, new, chapters):
    source = two / "pwu_lite" / "figures.py"
    source.write_text(source.read_text().replace(old, new) + ("\n# a comment\n" if old == "# nothing" else ""))
    done = build(two)
    assert done.returncode == 0, done.stderr
    assert [name for name in ("chapter", "other") if f"{name}.md: " in done.stdout] == chapters
    shown = page(two) + (two / "_build" / "html" / "book" / "more" / "other.html").read_text()
    if "wide" in new or "return " in new and "first" in new:
        assert ("painted" if "painted" in new else "the first") in shown


class Outputs:
    """The part of jupyter-cache that says which outputs are kept: by the cells' text, and never dropped by age."""

    def __init__(self, root):
        self.root, self.kept = root, {}

    def list_project_records(self):
        return [SimpleNamespace(uri=str(self.path), pk=1)]

    @property
    def path(self):
        return self.root / "book" / "chapter.md"

    def get_cached_project_nb(self, pk):
        return SimpleNamespace(pk=self.path.read_text()) if self.path.read_text() in self.kept else None

    def remove_cache(self, text):
        del self.kept[text]


def test_a_page_that_is_taken_back_after_the_package_changed_is_not_stale(tmp_path, monkeypatch):
    """Page one, package one; page two, package two; page one again: its output is the new package's."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    build_book = importlib.import_module("build_book")
    (tmp_path / "pwu_lite").mkdir()
    (tmp_path / "book").mkdir()
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/chapter\n")
    outputs = Outputs(tmp_path)
    for words, version in (("before", 1), ("after", 2), ("before", 2), ("before", 1), ("before", 2), ("after", 1)):
        write(tmp_path, f"import pwu_lite\nprint('{words}', pwu_lite.answer())")
        (tmp_path / "pwu_lite" / "__init__.py").write_text(f"def answer():\n    return {version}\n")
        build_book.reach.read_package.cache_clear()  # each build is a process of its own
        build_book.forget_what_can_be_reached(tmp_path, outputs, tmp_path / "records")
        found = outputs.kept.setdefault(outputs.path.read_text(), (words, version))
        assert found == (words, version)


def test_a_file_runs_the_chapters_of_its_folder(two):
    (two / "book" / "more" / "data.csv").write_text("a\n1\n")
    done = build(two)
    assert "other.md: " in done.stdout and "chapter.md: " not in done.stdout


def test_a_build_killed_after_a_change_still_runs_its_chapters(two):
    source = two / "pwu_lite" / "figures.py"
    source.write_text(source.read_text().replace("deep\"", "deeper\""))
    killed = subprocess.run([sys.executable, "-c", KILLED.format(where="build_book.run_chapters = die")], cwd=two,
                            capture_output=True, env={**os.environ, "PYTHONPATH": str(two), "PYTHONUTF8": "1"})
    assert killed.returncode == -9
    assert build(two).returncode == 0 and "first deeper" in page(two)


QUIZ = "```{{quiz}} Which one of $1/2$ and *that*?\n{}\n```\n"


@pytest.mark.parametrize("answers, words", [
    ("- [x] the first :: because\n- [ ] the second :: of\n  this", ""),
    ("- [x] the first :: because\n- [x] the second :: of this", "one right answer"),
    ("- [ ] the first :: because\n- [ ] the second :: of this", "one right answer"),
    ("- [x] the first :: because\n- [ ] the second", "reads '- [x] answer :: why'"),
    ("- [x] one :: why", "two or more")])
def test_a_quiz_has_one_right_answer_and_reasons(small, answers, words):
    chapter = small / "book" / "chapter.md"
    chapter.write_text(chapter.read_text() + "\n" + QUIZ.format(answers))
    done = build(small)
    assert (done.returncode == 0) == (not words) and words in done.stdout + done.stderr
    if not words:
        labels = re.findall(r'<label class="(\w+)"><input name="(.*?)" type="radio" value="(\d)"', page(small))
        assert sorted(label[0] for label in labels) == ["right", "wrong"] and len({label[1] for label in labels}) == 1
        assert "<legend>" in page(small) and '<span class="math' in page(small)
        assert 'role="status"><span class="why"><b>Not this one. </b>of this' in page(small)
