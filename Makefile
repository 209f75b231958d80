# `make help` prints the words behind each target.
PYTHON ?= python3
PY := .venv/bin/python
READY := .venv/.ready

.DEFAULT_GOAL := book

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-16s %s\n", $$1, $$2}'

.PHONY: help book cold test pages unit js weekly engines notebooks newest serve live live-check lab site-check benchmark flips mutants instructor course lock clean

book: $(READY)  ## the site: every chapter that changed is executed, then _build/html
	@$(PY) -m tools.build.build_book

cold: $(READY)  ## the same with nothing kept
	@rm -rf _build/.jupyter_cache _build/.pages _build/html
	@PWU_BOOK_CACHE=off $(PY) -m tools.build.build_book

test: $(READY)  ## lint, types and the tests of the packages; no built book needed
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(PY) -m pytest -n auto --dist loadgroup -m "not weekly" tests/lite tests/desk tests/book pwu_lite packages

pages: book  ## the tests of the built pages and of the tools
	@$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements/site.txt
	@$(PY) -m pytest -n auto --dist loadgroup -m "not weekly" tests/site tests/extension

js: $(READY)  ## format and lint of the scripts; needs npm
	@npm ci --prefix tools --silent --no-audit --no-fund
	@npm test --prefix tools --silent

weekly: $(READY)  ## the long tests
	@$(PY) -m pytest -n auto -m weekly tests
	@$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements/large.txt
	@$(PY) -m pytest -m weekly tests/site/test_large.py tests/desk/test_engines.py

engines: $(READY)  ## the page's table of engines: PostgreSQL, MariaDB and Java are taken from the system
	@$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements/large.txt
	@$(PY) -m tests.desk.engines --out packages/pwu_book/tables/engines.csv

unit: $(READY)  ## the quick tests of pwu_lite
	@$(PY) -m pytest -n auto -m "not slow and not weekly" tests/lite pwu_lite

newest: book  ## the same pages with the newest Sphinx, without jupyter-book: what would break
	@$(PY) -m tools.checks.newest_sphinx

serve: book  ## the site at http://127.0.0.1:8000
	@echo "Open http://127.0.0.1:8000 (Ctrl-C stops)"
	@$(PY) -m http.server --bind 127.0.0.1 -d _build/html 8000

live: $(READY)  ## once, before make book: Python for the browser, so that every cell runs in the page
	@$(PY) -m tools.live.fetch

live-check: live book  ## every cell of the road in the browser's Python, in node
	@$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements/site.txt
	@$(PY) -m tools.checks.live_check

lab: book  ## the chapters as notebooks in JupyterLab, in _build/notebooks
	@$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements/lab.txt
	@$(PY) -c "from pathlib import Path; from tools.build import downloads; downloads.to_edit(Path('_build/html'), Path('_build/notebooks'))"
	@$(PY) -m jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) _build/notebooks

site-check: book  ## every page in headless Chromium: offline, mathematics, dark, phone, accessibility
	@$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements/site.txt
	@$(PY) -m tools.checks.site_check

notebooks: book  ## notebooks from the site, in an empty environment
	@$(PY) -m tools.checks.notebook_check

benchmark: $(READY)  ## each score against scikit-learn's metrics and sampling, in one run
	@$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements/benchmark.txt
	@$(PY) tools/benchmarks/run.py
	@$(PY) tools/benchmarks/large.py --rows 1e7

flips: $(READY)  ## each verdict of the claims ledger turned round: its test must fail
	@$(PY) -m tools.checks.flips

mutants: $(READY)  ## small changes of the exact modules that no test may survive
	@$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements/mutants.txt
	@$(PY) -m mutmut run && $(PY) -m mutmut results

instructor: $(READY)  ## graded exercises: student notebooks, solutions, sources for nbgrader and Otter
	@$(PY) -m tools.kit.exercises

course: book  ## one folder for WEEK=1 of the seminar, or SESSION=1 of the week's three
	@$(if $(ADDRESS),$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements/site.txt)
	@$(PY) -m tools.kit.course $(if $(SESSION),week $(SESSION),$(or $(PLAN),seminar) $(WEEK)) $(ADDRESS)

lock:  ## the hashes of requirements.txt and tools/requirements; needs uv
	@for group in book build lab site mutants benchmark large; do \
	  uv pip compile --quiet --no-header --universal --python-version 3.11 --generate-hashes --group $$group \
	    $$(test $$group = book -o $$group = build || echo -c requirements.txt) \
	    -o $$(test $$group = book && echo requirements.txt || echo tools/requirements/$$group.txt) || exit 1; done
	@uv lock --quiet

clean:  ## remove .venv and _build
	rm -rf _build .venv

$(READY): requirements.txt pyproject.toml packages/pwu_desk/pyproject.toml packages/pwu_book/pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; (3, 11) <= v <= (3, 15) or sys.exit("Python 3.11 to 3.15 is needed, this is %d.%d: make PYTHON=python3.12" % v)'
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@echo "installing the pinned packages into .venv (about a minute)"
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . -e packages/pwu_desk -e packages/pwu_book
	@touch $@
