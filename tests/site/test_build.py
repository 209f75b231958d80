"""The build is strict and never stale.

A few small books are built for real. Everything that depends on the order of steps (a change, a kill, a refusal) runs
on a model of the build: outputs are kept by the text of the chapter, pages as long as the text stays, as jupyter-cache
and Sphinx do.
"""

import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import types
from pathlib import Path

import nbformat
import pytest
from jupyter_cache import get_cache

from tools.build import build_book, downloads, reach
from tools.extension import quiz

ROOT = Path(__file__).resolve().parents[2]
HEADER = """---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
file_format: mystnb
---

"""
QUIZ = """
```{quiz} Which one of $1/2$ and *that*?
- [x] the first :: because
- [ ] the second :: of
  this
```
"""


# Cutting the fonts takes twenty seconds; the fonts of the built site have tests of their own.
NO_FONTS = """

def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (folder / name).touch()
    return folder
"""


@pytest.fixture
def small(tmp_path):
    """A copy of the tools, the settings and a package of one function, with a book of three pages."""
    for folder in ("tools", "book/_static"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for file in ("_config.yml", "requirements.txt", "pyproject.toml", "CITATION.cff", "book/references.bib"):
        shutil.copy(ROOT / file, tmp_path / file)
    config = tmp_path / "_config.yml"
    config.write_text(re.sub(r"(?ms)^ *redirects:.*?(?=^ *redirect_html)", "", config.read_text()))
    with (tmp_path / "tools" / "extension" / "fonts.py").open("a") as file:
        file.write(NO_FONTS)
    (tmp_path / "pwu_lite").mkdir()
    (tmp_path / "pwu_lite" / "__init__.py").write_text("def answer():\n    return 'forty-one'\n")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/index\nparts:\n  - caption: Part\n"
                                       "    chapters: [{file: book/chapter}, {file: book/other}]\n")
    (tmp_path / "book" / "index.md").write_text("# Start\n\nSee {doc}`chapter`.\n")
    (tmp_path / "book" / "other.md").write_text("# Other\n\nText.\n")
    write(tmp_path, "import pwu_lite\npwu_lite.answer()")
    return tmp_path


def write(root, code, text="Text.", name="chapter"):
    page = f"{HEADER}# Chapter\n\n{text}\n\n```{{code-cell}} ipython3\n{code}\n```\n"
    (root / "book" / f"{name}.md").write_text(page)


def build(root, **settings):
    environment = {**os.environ, "PYTHONPATH": str(root), "PWU_BOOK_CACHE": "off", **settings}
    return subprocess.run([sys.executable, "-m", "tools.build.build_book", str(root)], cwd=root,
                          env=environment, capture_output=True, text=True)


def page(root):
    return (root / "_build" / "html" / "book" / "chapter.html").read_text()


def test_a_change_of_the_package_runs_all_chapters_that_use_it_and_keeps_each_output(small):
    """jupyter-cache would count and delete after each chapter; with room for one, the first would lose its outputs."""
    write(small, "import pwu_lite", name="other")
    write(small, "1 + 1", name="index")
    assert build(small).returncode == 0
    assert "forty-one" in page(small)
    assert "github.com/someone" not in page(small) and "og:image" not in page(small)
    assert not (small / "_build" / "html" / "sitemap.xml").exists()
    assert "- [Chapter](book/chapter.html): " in (small / "_build" / "html" / "llms.txt").read_text()
    twin = (small / "_build" / "html" / "book" / "chapter.md").read_text()
    assert twin.startswith("# Chapter\n\nText.\n\n```python\nimport pwu_lite") and "```\n'forty-one'\n```" in twin
    get_cache(str(small / "_build" / ".jupyter_cache")).change_cache_limit(1)
    (small / "pwu_lite" / "__init__.py").write_text("def answer():\n    return 'forty-two'\n")
    done = build(small)
    assert done.returncode == 0, done.stderr
    assert "executing 2 of 3" in done.stdout
    assert "forty-two" in page(small) and "forty-one" not in page(small)


def test_an_edited_page_is_built_again_beside_the_others_and_found(small):
    assert build(small).returncode == 0
    write(small, "import pwu_lite\npwu_lite.answer()", text="Nightingales.")
    done = build(small)
    assert done.returncode == 0, done.stderr
    index = (small / "_build" / "html" / "searchindex.js").read_text()
    assert "Nightingales" in page(small) and '"nightingal"' in index and '"Other"' in index


def test_an_edit_of_one_page_writes_no_other_anew(small):
    """Not one with a table among its figures, whose numbers are not Sphinx's; and the index names nothing twice."""
    figures = "".join(f"""
```{{code-cell}} ipython3
---
mystnb:
  figure:
    caption: One.
    name: {name}
---
from IPython.display import HTML
HTML("<{name}></{name}>")
```
""" for name in ("p", "table"))
    (small / "book" / "other.md").write_text(f"{HEADER}(sec-other)=\n# Other\n{figures}\n{{numref}}`table`.\n")
    (small / "book" / "index_words.toml").write_text('"nightingale" = "sec-other"\n')
    assert build(small).returncode == 0
    other = small / "_build" / "html" / "book" / "other.html"
    assert "Table 1" in other.read_text()
    other.write_text(other.read_text() + "<!-- as it was -->")
    write(small, "import pwu_lite\npwu_lite.answer()", text="Another text.")
    assert build(small).returncode == 0
    assert "Another text" in page(small) and other.read_text().endswith("<!-- as it was -->")
    assert (small / "_build" / "html" / "genindex.html").read_text().count('other.html#"') == 1


def test_a_failing_cell_an_edit_and_a_dead_kernel_fail_the_build(small):
    write(small, "print('fine')\n1 / 0")
    done = build(small)
    assert done.returncode == 1
    assert "book/chapter.md, code cell 1" in done.stderr and "ZeroDivisionError" in done.stderr
    write(small, f"from pathlib import Path\nedited = 0\npage = Path({str(small / 'book' / 'chapter.md')!r})\n"
                 "_ = page.write_text(page.read_text().replace('edited = 0', 'edited = 1'))")
    done = build(small)
    assert done.returncode == 1 and "was edited while it ran; build again" in done.stdout
    write(small, "import os\nos._exit(1)")
    done = build(small)
    assert done.returncode == 1 and "chapter.md: NOT RUN" in done.stdout and "Kernel died" in done.stderr


def test_a_worker_that_is_killed_leaves_its_chapters_to_be_run_again(tmp_path, monkeypatch, capsys):
    """The pool must break, and not wait for ever for what the worker had in hand."""
    from jupyter_cache.executors import basic

    monkeypatch.setattr(basic, "ExecutionWorkerLocalMProc", lambda: kill_oneself)
    waiting = [types.SimpleNamespace(pk=place, uri=str(tmp_path / f"{place}.md")) for place in range(3)]
    found = build_book.run_each(tmp_path, None, waiting, 2)
    assert found == {record.uri: "NOT RUN" for record in waiting}
    assert "2.md: NOT RUN" in capsys.readouterr().out


def kill_oneself(job):
    os.kill(os.getpid(), signal.SIGKILL)


def test_an_object_that_cannot_show_itself_fails_the_build(small):
    """IPython prints the traceback of a `_repr_html_` and goes on: no cell fails, and the page would show it."""
    write(small, "class Odd:\n    def _repr_html_(self):\n        raise RuntimeError('no look')\nOdd()")
    for _ in range(2):
        done = build(small)
        assert done.returncode == 1 and "book/chapter.md: it shows a traceback" in done.stderr


def test_numbers_of_another_checkout_are_refused(small, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(small / "pwu_lite", other / "pwu_lite")
    shutil.copytree(small / "tools", other / "tools")
    done = build(small, PYTHONPATH=str(other))
    assert done.returncode == 1 and f"pwu_lite is imported from {other / 'pwu_lite'}" in done.stderr
    assert "pip install" in done.stderr and not (small / "_build" / "html").exists()


@pytest.mark.weekly
def test_a_chapter_whose_kernel_dies_is_run_once_more(small):
    write(small, "import os, pathlib\nmark = pathlib.Path('../died')\n"
                 "if not mark.exists():\n    mark.write_text('once')\n    os._exit(1)\n'alive'")
    done = build(small)
    assert done.returncode == 0, done.stderr
    assert "alive" in page(small) and "once more" in done.stdout and "Kernel died" in done.stderr


def test_broken_links_and_warnings_fail_the_build(small):
    write(small, "import warnings\nwarnings.warn('mind this')",
          "See {ref}`nowhere` and [this](missing.md). ![](../no_such_file.png)\n\n```{quiz} Which?\n- [x] one\n```\n")
    done = build(small)
    assert done.returncode == 1
    for words in ("nowhere", "missing", "no_such_file", "an answer reads", "stderr"):
        assert words in done.stderr, words


def test_one_address_links_every_page_to_its_source(small):
    config = small / "_config.yml"
    config.write_text(config.read_text().replace('repository_url: ""', "repository_url: https://github.com/someone/book"))
    chapter = small / "book" / "chapter.md"
    chapter.write_text(chapter.read_text() + QUIZ)
    done = build(small)
    assert done.returncode == 0, done.stderr
    assert "executing" not in build(small).stdout  # nothing changed, nothing runs
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
    assert '<meta property="og:title" content="Chapter"' in head
    assert 'og:image" content="https://someone.github.io/book/_static/previews/chapter.png"' in head
    for name in ("chapter.png", "index.png"):
        size = (site / "_static" / "previews" / name).read_bytes()[16:24]
        assert size == bytes([0, 0, 4, 176, 0, 0, 2, 118])  # 1200 x 630
    labels = re.findall(r'<label class="(\w+)"><input name="(.*?)" type="radio" value="(\d)"', page(small))
    assert sorted(label[0] for label in labels) == ["right", "wrong"] and len({label[1] for label in labels}) == 1
    assert "<legend>" in page(small) and '<span class="math' in page(small)
    assert 'role="status"><span class="why"><b>Not this one. </b>of this' in page(small)


@pytest.mark.weekly
def test_two_builds_take_turns_and_the_settings_of_the_reader_change_nothing(small, tmp_path_factory):
    """An IPython start-up file, a matplotlib style and a language that is not UTF-8."""
    home = tmp_path_factory.mktemp("home")
    startup = home / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("import pandas as pd\npd.set_option('display.precision', 1)\n")
    (home / "matplotlibrc").write_text("lines.linewidth: 9\n")
    write(small, "import time, matplotlib, pandas as pd\ntime.sleep(3)\nprint(pd.Series([1.23456]))\n"
                 "print(matplotlib.rcParams['lines.linewidth'])", "Größe ≤ 1.")
    settings = {"IPYTHONDIR": str(home / "ipython"), "MATPLOTLIBRC": str(home / "matplotlibrc"), "LC_ALL": "POSIX",
                "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with concurrent.futures.ThreadPoolExecutor() as both:
        first, second = both.map(lambda root: build(root, **settings), [small, small])
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert sorted("executing 1 of 1" in done.stdout for done in (first, second)) == [False, True]
    assert sorted("another build" in done.stdout for done in (first, second)) == [False, True]
    assert "1.23456" in page(small) and "1.5" in page(small) and "Größe" in page(small)


def test_notebooks_for_colab_install_what_they_need_first(tmp_path):
    folder = tmp_path / "html" / "_sources" / "book"
    folder.mkdir(parents=True)
    (tmp_path / "html" / "downloads").mkdir()
    for name in ("pwu_lite", "pwu_desk", "pwu_book"):
        (tmp_path / "html" / "downloads" / f"{name}-1-py3-none-any.whl").touch()
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")]), folder / "chapter.ipynb")
    assert downloads.for_colab(tmp_path / "html", tmp_path / "mine", "https://some.host/book/") == 1
    first, second = json.loads((tmp_path / "mine" / "book" / "chapter.ipynb").read_text())["cells"]
    place = "https://some.host/book/downloads"
    assert first["source"] == [f'%pip install -q "pwu_lite[plots,symbolic] @ {place}/pwu_lite-1-py3-none-any.whl" '
                               f'"pwu_desk @ {place}/pwu_desk-1-py3-none-any.whl" '
                               f'"pwu_book[notebooks] @ {place}/pwu_book-1-py3-none-any.whl"']
    assert second["source"] == ["1 + 1"]


class Killed(BaseException):
    """What a kill does: nothing of the program runs any more."""


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A book of one chapter, run and written in a moment; `model.build()` gives the exit status."""
    for folder in ("pwu_lite", "book/_static", "tools/extension", "tools/checks"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("requirements.txt", "pyproject.toml", "tools/extension/a.py"):
        (tmp_path / file).touch()
    chapter, runs = tmp_path / "book" / "chapter.md", []
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/chapter\n")

    def execute(root, cache):
        cache.mkdir(exist_ok=True)
        output = cache / str(abs(hash(chapter.read_text())))
        if not output.exists():
            runs.append(chapter.read_text())
            data = root / "book" / "data.txt"
            output.write_text(chapter.read_text().split("\n")[0] + (root / "pwu_lite" / "code.py").read_text()
                              + (data.read_text() if data.exists() else ""))
        return True

    def run_sphinx(root):
        seen, html = (root / "_build" / name / "chapter.html" for name in (".doctrees", "html"))
        if not (seen.exists() and html.exists() and seen.read_text() == chapter.read_text()):
            for path in (seen, html):
                path.parent.mkdir(parents=True, exist_ok=True)
            output = root / "_build" / ".jupyter_cache" / str(abs(hash(chapter.read_text())))
            look = "".join(path.read_text() for path in sorted((root / "book" / "_static").iterdir()))
            html.write_text(f"<p>{output.read_text()}{look}</p>")
            seen.write_text(chapter.read_text())
        return True

    monkeypatch.setattr(build_book, "execute", execute)
    monkeypatch.setattr(build_book, "run_sphinx", run_sphinx)
    monkeypatch.setattr(build_book, "make_kit", lambda root, site: True)

    class Model:
        root, ran = tmp_path, runs

        def write(self, words, version):
            chapter.write_text(f"{words}\n```{{code-cell}} ipython3\nfrom pwu_lite import code\n```\n")
            (tmp_path / "pwu_lite" / "code.py").write_text(version)

        def build(self):
            (tmp_path / "_build").mkdir(exist_ok=True)
            return build_book.build_site(tmp_path, tmp_path / "_build")

        def page(self):
            return (tmp_path / "_build" / "html" / "chapter.html").read_text()

    monkeypatch.setattr(os, "environ", dict(os.environ))
    Model().write("before", "1")
    return Model()


def test_a_page_that_is_taken_back_after_the_package_changed_is_not_stale(model):
    """Page one, package one; page two, package two; page one again: its output is the new package's."""
    for words, version in (("before", "1"), ("after", "2"), ("before", "2"), ("before", "1"), ("before", "2"),
                           ("after", "1"), ("after", "1")):
        model.write(words, version)
        assert model.build() == 0 and model.page() == f"<p>{words}{version}</p>"
    assert len(model.ran) == 6  # nothing changed, nothing runs


def test_where_nothing_has_changed_nothing_is_done(model, monkeypatch):
    written, sphinx = [], build_book.run_sphinx
    monkeypatch.setattr(build_book, "run_sphinx", lambda root: bool(written.append(1)) or sphinx(root))
    page = model.root / "_build" / "html" / "chapter.html"
    assert model.build() == 0 and model.build() == 0 and len(written) == 1
    page.write_text("touched")
    assert model.build() == 0 and len(written) == 2
    page.unlink()
    assert model.build() == 0 and len(written) == 3 and page.exists()

    def edited(root):  # somebody writes on while the site is written
        done = sphinx(root)
        model.write("edited", "1")
        return done

    monkeypatch.setattr(build_book, "run_sphinx", edited)
    (model.root / "LICENSE").write_text("other words")
    assert model.build() == 0 and "before" in model.page()
    assert model.build() == 0 and "edited" in model.page()


@pytest.mark.parametrize("file, runs", [("requirements.txt", 2), ("pyproject.toml", 1), ("book/data.txt", 2),
                                        ("pwu_lite/table.csv", 2), ("tools/extension/a.py", 1),
                                        ("tools/extension/search.js", 1),
                                        ("book/_static/look.css", 1),
                                        ("CITATION.cff", 1), ("answers.csv", 2)])
def test_what_else_makes_a_page_out_of_date(model, monkeypatch, file, runs):
    assert model.build() == 0
    page = model.root / "_build" / "html" / "chapter.html"
    written = page.stat().st_mtime_ns
    model.root.joinpath(file).write_text("new")
    assert model.build() == 0 and len(model.ran) == runs and page.stat().st_mtime_ns > written
    assert ("new" in model.page()) == file.startswith("book")
    monkeypatch.setattr(build_book.sys, "version", "4.0")  # another Python runs all chapters
    assert model.build() == 0 and len(model.ran) == runs + 1


@pytest.mark.parametrize("file", ["README.md", "LICENSE", "tools/checks/look.py"])
def test_what_no_page_shows_writes_no_page_anew(model, file):
    assert model.build() == 0
    page = model.root / "_build" / "html" / "chapter.html"
    written = page.stat().st_mtime_ns
    model.root.joinpath(file).write_text("new")
    assert model.build() == 0 and page.stat().st_mtime_ns == written


def test_an_upgraded_dependency_runs_all_chapters_and_another_package_none(model, monkeypatch):
    """What the checks of the site install on top is not what a chapter has run with."""
    (model.root / "requirements.txt").write_text("numpy==1\n")
    for installed, runs in (({"NumPy": "1"}, 1), ({"NumPy": "1", "playwright": "1"}, 1), ({"NumPy": "2"}, 2)):
        monkeypatch.setattr(build_book.metadata, "distributions", lambda installed=installed: [
            types.SimpleNamespace(name=name, version=version) for name, version in installed.items()])
        assert model.build() == 0 and len(model.ran) == runs


def at(name):
    """Where a file of a package lies."""
    return f"packages/{name}" if name.startswith("pwu_book") else name


PAGES = {"one": "from pwu_book.studies import wind", "two": "from pwu_book import tables\ntables.load('two.csv')",
         "three": "kind = 'models'\nfrom pwu_book import tables\ntables.load(f'three_{kind}.csv.gz')", "four": "1 + 1"}


@pytest.fixture
def reaching(tmp_path):
    """Four pages, and modules of ours, some of which they reach."""
    files = {"pwu_lite/__init__.py": "def __getattr__(name):\n    from . import late\n", "pwu_lite/late.py": "",
             "pwu_lite/app.py": "", "pwu_book/__init__.py": "", "pwu_book/studies/__init__.py": "",
             "pwu_book/studies/wind.py": "from .study import run\nimport pwu_lite\n", "pwu_book/studies/credit.py": "",
             "pwu_book/studies/study.py": "def run():\n    from .. import figures\n", "pwu_book/figures.py": "",
             "pwu_book/studies/terms.json": "", "pwu_book/tables/__init__.py": "", "pwu_book/tables/two.csv": "",
             "pwu_book/tables/three_models.csv.gz": "", "pwu_book/tables/three_cases.csv.gz": "",
             "pwu_book/tables/other.csv": ""}
    for name, text in files.items():
        name = at(name)
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("file, pages", [
    ("pwu_book/studies/wind.py", ["one"]), ("pwu_book/figures.py", ["one"]), ("pwu_book/studies/credit.py", []),
    ("pwu_book/studies/terms.json", ["one"]), ("pwu_lite/late.py", ["one"]), ("pwu_lite/app.py", []),
    ("pwu_book/tables/two.csv", ["two"]), ("pwu_book/tables/three_models.csv.gz", ["three"]),
    ("pwu_book/tables/three_cases.csv.gz", ["three"]), ("pwu_book/tables/other.csv", []),
    ("pwu_book/tables/__init__.py", ["two", "three"]), ("pwu_book/__init__.py", ["one", "two", "three"])])
def test_a_file_makes_those_pages_run_that_reach_it(reaching, file, pages):
    """In functions, through other modules, by a name that is computed in part; and no other page."""
    reach.forget()
    found = [name for name, code in PAGES.items() if Path(at(file)) in reach.files(
        reaching, f"# Page\n\n```{{code-cell}} ipython3\n:tags: [a]\n{code}\n```\n")]
    assert found == pages


def test_every_module_that_a_page_of_the_book_loads_is_reached(tmp_path):
    """By running one: what Python has imported, and the tables that it has opened."""
    page = (ROOT / "book" / "start" / "idea.md").read_text()
    code = "\n".join(reach.code_of(match[2]) for match in reach.CELL.finditer(page))
    script = tmp_path / "page.py"
    script.write_text("import builtins, io, json, sys\nopened, plain = [], io.open\n"
                      "def watched(file, *rest, **more):\n    opened.append(str(file))\n"
                      "    return plain(file, *rest, **more)\n"
                      "builtins.open = io.open = watched\n" + code +
                      "\nfiles = [m.__file__ for n, m in sys.modules.items() if n.startswith(('pwu_', )) and "
                      "getattr(m, '__file__', None)]\nprint(json.dumps([files, opened]))\n")
    homes = os.pathsep.join(map(str, (ROOT, ROOT / "packages")))
    done = subprocess.run([sys.executable, script], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": homes, "MPLBACKEND": "agg"})
    assert done.returncode == 0, done.stderr
    loaded, opened = json.loads(done.stdout.splitlines()[-1])
    reach.forget()
    reached = {str(ROOT / file) for file in reach.files(ROOT, page)}
    used = {*loaded, *(file for file in opened if file.startswith(str(ROOT / "packages")))}
    assert len(loaded) > 20 and any(file.endswith(".csv.gz") for file in opened)
    assert used <= reached


def test_a_second_clone_on_this_machine_runs_what_is_new(small, tmp_path_factory):
    """The user's cache has outputs by content: taken, changed, damaged, or left out."""
    kept = tmp_path_factory.mktemp("kept")
    write(small, "2 + 2", name="other")
    assert "executing 2 of 2" in build(small, PWU_BOOK_CACHE=str(kept)).stdout
    assert len(list(kept.glob("pages/*"))) == 2
    shutil.rmtree(small / "_build")
    done = build(small, PWU_BOOK_CACHE=str(kept))
    assert done.returncode == 0, done.stderr
    assert "executing" not in done.stdout and "2 chapters as an earlier build" in done.stdout
    assert "forty-one" in page(small)
    (small / "pwu_lite" / "__init__.py").write_text("def answer():\n    return 'forty-two'\n")
    for damaged in kept.glob("pages/*"):
        if "forty-one" not in damaged.read_text():
            damaged.write_text("{")
    shutil.rmtree(small / "_build")
    done = build(small, PWU_BOOK_CACHE=str(kept))
    assert "executing 2 of 2" in done.stdout and "forty-two" in page(small)
    shutil.rmtree(small / "_build")
    assert "executing 2 of 2" in build(small).stdout  # without the cache


def test_a_package_that_changes_while_chapters_run_fails_the_build(model, monkeypatch, capsys):
    execute = build_book.execute

    def edit(root, cache):
        done = execute(root, cache)
        (root / "pwu_lite" / "code.py").write_text("2")
        return done

    with monkeypatch.context() as patch:
        patch.setattr(build_book, "execute", edit)
        assert model.build() == 1 and "changed while they ran" in capsys.readouterr().err
    assert model.build() == 0 and model.page() == "<p>before2</p>"


def kill(*_, **__):
    raise Killed


def kill_while_deleting(folder):
    next(path for path in Path(folder).rglob("*") if path.is_file()).unlink()
    raise Killed


STEPS = {"before deleting": ("delete", kill), "in the middle of deleting": ("shutil.rmtree", kill_while_deleting),
         "after deleting": ("execute", kill), "before the pages": ("run_sphinx", kill),
         "before the links": ("check_links.main", kill)}


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("step, death", STEPS.values(), ids=STEPS)
def test_a_build_killed_at_any_step_leaves_nothing_stale(model, monkeypatch, step, death, version):
    """Whether the change that was being built stays or is taken back."""
    assert model.build() == 0
    model.write("before", "2")
    with monkeypatch.context() as patch:
        patch.setattr(f"tools.build.build_book.{step}", death)
        with pytest.raises(Killed):
            model.build()
    model.write("before", version)
    assert model.build() == 0 and model.page() == f"<p>before{version}</p>"


def test_what_cannot_be_deleted_fails_the_build(model, monkeypatch, capsys):
    def refuse(folder):
        raise PermissionError(13, "not allowed", str(folder))

    assert model.build() == 0
    model.write("before", "2")
    with monkeypatch.context() as patch:
        patch.setattr(build_book.shutil, "rmtree", refuse)
        for _ in range(2):
            assert model.build() == 1 and "cannot delete" in capsys.readouterr().err
    assert model.build() == 0 and model.page() == "<p>before2</p>"


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("")], ids=["gone", "empty"])
def test_a_damaged_cache_is_made_again(tmp_path, capsys, damage):
    cache = get_cache(str(tmp_path / "kept"))
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "a.ipynb")
    cache.cache_notebook_file(tmp_path / "a.ipynb", check_validity=False)
    assert len(build_book.sound_cache(tmp_path / "kept").list_cache_records()) == 1
    damage(next((tmp_path / "kept").rglob("base.ipynb")))
    assert build_book.sound_cache(tmp_path / "kept").list_cache_records() == []
    assert "damaged" in capsys.readouterr().out


def test_a_chapter_without_its_header_is_not_silently_text(tmp_path, monkeypatch, capsys):
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: 'chapter'\n# - file: gone\n")
    (tmp_path / "chapter.md").write_text("# Chapter\n\n```{code-cell} ipython3\n1\n```\n")
    assert build_book.documents(tmp_path) == [tmp_path / "chapter.md"]
    monkeypatch.setattr(build_book, "run_chapters", lambda root, cache: True)
    assert not build_book.execute(tmp_path, tmp_path / "kept")
    assert "file_format" in capsys.readouterr().err


@pytest.mark.parametrize("answers, words", [
    ("- [x] the first :: because\n- [x] the second :: of this", "one right answer"),
    ("- [ ] the first :: because\n- [ ] the second :: of this", "one right answer"),
    ("- [x] the first :: because\n- [ ] the second", "reads '- \\[x\\] answer :: why'"),
    ("- [x] $f > c$ :: because\n- [ ] the second :: of this", "at least one word"),
    ("- [x] one :: why", "two or more")])
def test_a_quiz_has_one_right_answer_and_reasons(answers, words):
    with pytest.raises(ValueError, match=words):
        quiz.read_answers("Which?", answers.splitlines())
