# Everything runs in .venv (benchmarks in .venv-bench, with the peers they are measured against; Inspect AI in
# .venv-inspect, whose open streams at its end are not ours; what drives a browser in .venv-browser; mutmut in .venv-mutate).
# Each stamp file says what is installed there, so that a second call installs nothing.

PYTHON ?= python3
WORKERS ?= 2
ARGS ?=

BIN := .venv/bin
BENCH := .venv-bench/bin
PINS := pyproject.toml constraints.txt
# Twice quiet: errors are shown, warnings about the caller's own pip settings are not. A file is compiled when it is first
# loaded: of SciPy's and NumPy's most never are.
PIP := install -qq --no-compile --disable-pip-version-check --constraint constraints.txt
INSTALL := -m pip $(PIP)
# Every worker, and every process that a test starts, would compile all files again.
export PYTHONDONTWRITEBYTECODE :=
# Each worker collects files of its own and runs these.
SHARED_OUT := --dist each --max-worker-restart 0
SCRIPTS := $(sort $(filter-out benchmarks/_%,$(wildcard benchmarks/*.py)))

.PHONY: demo test check engines calibrate test-slow test-faults soak test-local test-bayes test-postgres test-browser test-inspect bench dist
.PHONY: mutate test-installed sbom docs pins clean
.NOTPARALLEL:  # two calls of pip in one environment would get in each other's way

demo: .venv/core.stamp  ## see the main job on data whose truth is known
	$(BIN)/quorate demo $(ARGS)

test: .venv/test.stamp  ## all tests but the long ones
	$(BIN)/python -m pytest -n $(WORKERS) $(SHARED_OUT) $(ARGS)

check: .venv/check.stamp  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

engines: .venv/engines.stamp  ## reading from Spark (which needs Java 17), Dask, Ibis, polars and DuckDB; work on Dask's workers
	$(BIN)/python -m pytest $(ARGS) tests/table/test_engines.py tests/test_workers.py

calibrate: .venv/test.stamp  ## the long Monte Carlo tests, with their figures
	$(BIN)/python -m pytest -n $(WORKERS) -m "calibration and not slow" -rP --dist worksteal $(ARGS)

test-slow: test-faults  ## at full size: all faults, the longest calibrations, further examples of claims, sixty draws of every property
	$(BIN)/python -m pytest -m "slow and not fault and not hypothesis and not postgres and not bayes" $(ARGS)
	$(BIN)/python -m pytest -n $(WORKERS) $(SHARED_OUT) --hypothesis-profile full $(ARGS) \
		-m "hypothesis and not fault and not calibration and not local and not postgres and not inspect"

test-faults: .venv/postgres.stamp  ## kills, full disks, clocks, endpoints and servers that fail: ends with a table of what was survived
	$(BIN)/python -m pytest -m fault $(ARGS)

soak: .venv/postgres.stamp  ## 50,000 cells under mixed faults, half in a file and half in Postgres, and studies with goals: an hour
	$(BIN)/python tests/runs/soak.py --cells 25000 --minutes 15 $(ARGS)
	$(BIN)/python tests/runs/soak.py --cells 25000 --minutes 15 --postgres $(ARGS)
	$(BIN)/python tests/runs/soak.py --goals --cells 1600 --minutes 15 $(ARGS)
	$(BIN)/python tests/runs/soak.py --goals --cells 1600 --minutes 15 --postgres $(ARGS)

test-local: .venv/local.stamp  ## a real model on this machine (built once, which takes a C++ compiler and ten minutes)
	$(BIN)/python -m pytest -m local $(ARGS)

test-bayes: .venv/bayes.stamp  ## posteriors by numpyro, with simulation-based calibration
	$(BIN)/python -m pytest -m bayes $(ARGS)

test-postgres: .venv/postgres.stamp  ## a ledger on Postgres, whose programs (initdb, pg_ctl) must be there
	$(BIN)/python -m pytest -m postgres $(ARGS)

test-browser: .venv/test.stamp .venv-browser/npm.stamp  ## people's pages in Chromium (CHROMIUM names it), which takes node and npm
	$(BIN)/python -m pytest -m browser $(ARGS) tests/browser

test-inspect: .venv-inspect/test.stamp  ## the panel in the newest Inspect AI itself, with mock models
	.venv-inspect/bin/python -m pytest -m inspect -p no:unraisableexception $(ARGS) tests/study/inspect

bench: .venv-bench/bench.stamp  ## time against the named peers, in the same run
	set -e; for script in $(SCRIPTS); do OPENBLAS_NUM_THREADS=1 $(BENCH)/python $$script $(ARGS); done

mutate: .venv-mutate/mutate.stamp  ## does a test fail when the source is another? a sample of mutants; goes on where it stopped
	PYTHONPATH=src:tests .venv-mutate/bin/python -m mutation $(ARGS)

dist: .venv-dist/dist.stamp  ## the sdist, and the wheel that is made of it, in dist/
	rm -rf dist
	.venv-dist/bin/python -m build --no-isolation --outdir dist . > /dev/null

test-installed: dist  ## all tests on the wheel as installed, not on the checkout; PYTHON=python3.13 for another Python
	$(PYTHON) -m venv --clear .venv-installed
	.venv-installed/bin/python $(INSTALL) "$$(echo dist/*.whl)[test]"
	.venv-installed/bin/python -c 'import quorate, sys; sys.exit("src" in quorate.__file__)'
	.venv-installed/bin/python -m pytest -n $(WORKERS) $(SHARED_OUT) $(ARGS)

sbom: .venv-dist/dist.stamp  ## the bill of materials of the core (CycloneDX), held against its schema, in dist/sbom.json
	mkdir -p dist
	$(PYTHON) -m venv --clear .venv-sbom
	.venv-sbom/bin/python $(INSTALL) .
	.venv-sbom/bin/python -m pip uninstall -qq --yes setuptools pip
	.venv-dist/bin/cyclonedx-py environment --validate --pyproject pyproject.toml --output-reproducible --of JSON -o dist/sbom.json .venv-sbom
	rm -rf .venv-sbom

docs: .venv/docs.stamp  ## what pages show runs; the site in site/, which opens from disk; no network once tools are there
	$(BIN)/python -m pytest -n $(WORKERS) -m docs --dist worksteal $(ARGS) tests/test_docs.py
	rm -rf site
	$(BIN)/python docs/reference/cli.py
	$(BIN)/python docs/reference/caveats.py
	$(BIN)/zensical build --clean --strict
	$(BIN)/python docs/check.py

pins:  ## resolve every dependency afresh and write constraints.txt
	$(PYTHON) -m venv --clear .venv-pins
	.venv-pins/bin/python -m pip install -qq --disable-pip-version-check '.[bayes,frames,local,mutate,postgres,test,check,docs]' 'llama-cpp-python[server]'
	echo '# Every installed package at the version the tests passed with; written by `make pins`.' > constraints.txt
	.venv-pins/bin/python -m pip freeze --disable-pip-version-check --exclude quorate >> constraints.txt
	rm -rf .venv-pins

clean:
	rm -rf .venv .venv-bench .venv-browser .venv-dist .venv-inspect .venv-installed .venv-mutate .venv-pins .venv-sbom .cache build dist site

# What comes with Python 3.11 takes seconds to be put there, and three times as long to find wheels: the pip of today is put
# there by the caller's, if there is one that can.
.venv/pip.stamp: $(PINS)
	$(PYTHON) -m venv --without-pip .venv
	$(PYTHON) -m pip --python $(BIN)/python $(PIP) --upgrade pip 2> /dev/null || \
		($(PYTHON) -m venv .venv && $(BIN)/python $(INSTALL) --upgrade pip)
	touch $@

.venv/core.stamp: .venv/pip.stamp
	$(BIN)/python $(INSTALL) --editable .
	touch $@

.venv/test.stamp: .venv/pip.stamp
	$(BIN)/python $(INSTALL) --editable '.[test]'
	touch $@

.venv/engines.stamp: .venv/test.stamp
	$(BIN)/python $(INSTALL) --editable '.[engines]'
	touch $@

.venv/local.stamp: .venv/test.stamp
	$(BIN)/python $(INSTALL) --editable '.[local]' 'llama-cpp-python[server]'
	touch $@

.venv/bayes.stamp: .venv/test.stamp
	$(BIN)/python $(INSTALL) --editable '.[bayes]'
	touch $@

.venv/postgres.stamp: .venv/test.stamp
	$(BIN)/python $(INSTALL) --editable '.[postgres]'
	touch $@

.venv-browser/npm.stamp: tests/browser/package.json
	mkdir -p $(@D)
	cp $< $(@D)
	npm install --prefix $(@D) --no-package-lock --no-audit --no-fund --loglevel error
	touch $@

.venv-inspect/test.stamp: $(PINS)
	$(PYTHON) -m venv .venv-inspect
	.venv-inspect/bin/python -m pip install -qq --disable-pip-version-check --editable '.[test]' inspect_ai
	touch $@

.venv-mutate/mutate.stamp: $(PINS)
	$(PYTHON) -m venv .venv-mutate
	.venv-mutate/bin/python $(INSTALL) --editable '.[test,mutate]'
	touch $@

.venv/check.stamp: .venv/core.stamp
	$(BIN)/python $(INSTALL) --editable '.[check,web]'
	touch $@

.venv-dist/dist.stamp: $(PINS)
	$(PYTHON) -m venv .venv-dist
	.venv-dist/bin/python -m pip install -qq --disable-pip-version-check build cyclonedx-bom flit_core
	touch $@

.venv/docs.stamp: .venv/test.stamp
	$(BIN)/python $(INSTALL) --editable '.[docs]'
	touch $@

.venv-bench/bench.stamp: $(PINS)
	$(PYTHON) -m venv .venv-bench
	$(BENCH)/python $(INSTALL) --editable ".[bayes,postgres,web]" mixedlm==1.3.0 statsmodels==0.15.0 evalica==0.4.2 choix==0.4.1 polars pandas jaxtyping==0.3.11 optax==0.2.8 errorbars==0.2.4 krippendorff==0.8.1 evalaudit==0.6.0 truescore==0.7.4 evalsig==0.1.2 ppi-python==0.2.3
	$(BENCH)/python $(INSTALL) --no-deps arenakit==0.1.1 arena-rank==0.1.1  # which asks for a jax and a numpy of its own; it runs with ours
	touch $@
