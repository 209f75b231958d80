# make book | cold | test | pages | unit | js | weekly | serve | live | lab | slides | site-check | benchmark | flips | mutants | editions | instructor
PYTHON ?= python3
PY := .venv/bin/python
READY := .venv/.ready

.PHONY: book cold test pages unit js weekly notebooks serve live live-check lab slides site-check benchmark flips mutants editions instructor lock clean

book: $(READY)
	@$(PY) -m tools.build.build_book

cold: $(READY)
	@rm -rf _build/.jupyter_cache _build/.pages _build/html
	@PWU_BOOK_CACHE=off $(PY) -m tools.build.build_book

test: $(READY)
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(PY) -m pytest -n auto --dist loadgroup -m "not weekly" tests/lite tests/desk tests/book pwu_lite packages

pages: book
	@$(PY) -m pytest -n auto --dist loadgroup -m "not weekly" tests/site tests/extension

js: $(READY)
	@npm ci --silent --no-audit --no-fund
	@$(PY) -m tools.checks.scripts
	@npm test --silent

weekly: $(READY)
	@$(PY) -m pytest -n auto -m weekly tests
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-large.txt
	@$(PY) -m pytest -m weekly tests/site/test_large.py

unit: $(READY)
	@$(PY) -m pytest -n auto -m "not slow and not weekly" tests/lite pwu_lite

serve: book
	@echo "Open http://127.0.0.1:8000 (Ctrl-C stops)"
	@$(PY) -m http.server --bind 127.0.0.1 -d _build/html 8000

live: $(READY)
	@$(PY) -m tools.live.fetch

live-check: live book
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-site.txt
	@$(PY) -m tools.checks.live_check

lab: book
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-lab.txt
	@$(PY) -c "from pathlib import Path; from tools.build import downloads; downloads.to_edit(Path('_build/html'), Path('_build/notebooks'))"
	@$(PY) -m jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) _build/notebooks

slides: $(READY)
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-site.txt
	@$(PY) -m tools.kit.decks

site-check: book
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-site.txt
	@$(PY) -m tools.checks.site_check

notebooks: book
	@$(PY) -m tools.checks.notebook_check

benchmark: $(READY)
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-benchmark.txt
	@$(PY) benchmarks/run.py
	@$(PY) benchmarks/large.py --rows 1e7

flips: $(READY)
	@$(PY) -m tools.checks.flips

mutants: $(READY)
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-mutants.txt
	@$(PY) -m mutmut run && $(PY) -m mutmut results

editions: book
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-site.txt
	@$(PY) -m tools.editions.editions

instructor: $(READY)
	@$(PY) -m tools.kit.exercises

lock:
	@for group in book build lab site mutants benchmark large; do \
	  uv pip compile --quiet --no-header --universal --python-version 3.11 --generate-hashes --group $$group \
	    $$(test $$group = book -o $$group = build || echo -c requirements.txt) \
	    -o requirements$$(test $$group = book || echo -$$group).txt || exit 1; done
	@uv lock --quiet

clean:
	rm -rf _build .venv

$(READY): requirements.txt pyproject.toml packages/pwu_desk/pyproject.toml packages/pwu_book/pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; (3, 11) <= v <= (3, 15) or sys.exit("Python 3.11 to 3.15 is needed, this is %d.%d: make PYTHON=python3.12" % v)'
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@echo "installing the pinned packages into .venv (about a minute)"
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . -e packages/pwu_desk -e packages/pwu_book
	@touch $@
