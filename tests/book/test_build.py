"""The build is strict and never stale: a small book is built, changed, and built again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
    for folder in ("tools", "book/_static"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for file in ("_config.yml", "requirements.txt", "pyproject.toml", "book/references.bib"):
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / "pwu_lite").mkdir()
    (tmp_path / "pwu_lite" / "__init__.py").write_text("def answer():\n    return 'forty-one'\n")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/index\nchapters:\n  - file: book/chapter\n")
    (tmp_path / "book" / "index.md").write_text("# Start\n\nSee {doc}`chapter`.\n")
    write(tmp_path, "import pwu_lite\npwu_lite.answer()")
    return tmp_path


def write(root, code, text="Text."):
    page = f"{HEADER}# Chapter\n\n{text}\n\n```{{code-cell}} ipython3\n{code}\n```\n"
    (root / "book" / "chapter.md").write_text(page)


def build(root):
    environment = {**os.environ, "PYTHONPATH": str(root)}
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
