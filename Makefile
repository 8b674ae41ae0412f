# make play    set everything up in .venv and play a seeded demonstration game
# make test    lint, types and every test, slow ones included
# make kills   kill 200 observations on a simulated device and resume each; some minutes
# make floors  fast tests with the lowest versions allowed, and on every interpreter found
# The interpreter is the first Python 3.11 or newer found; PYTHON=/path/to/python3 chooses another.

VENV := .venv
BIN := $(VENV)/bin
PYTEST_WORKERS ?= 2

.PHONY: play test floors kills clean
.DELETE_ON_ERROR:

play: $(VENV)/.installed
	@$(BIN)/qttt play --demo

test: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -m "" -n $(PYTEST_WORKERS)

floors:
	.ci/floors

kills: $(VENV)/.installed-test
	$(BIN)/python -m tests.benchmarks.kills --kills 200

clean:
	rm -rf $(VENV) .floors build dist

$(BIN)/python:
	@python=$$(PYTHON="$(PYTHON)" .ci/find-python) && \
	echo "Making $(VENV) with $$python" && \
	"$$python" -m venv --clear $(VENV)

# The stamps are written last: an interrupted installation starts again, a finished one costs nothing.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "Installing tiqtaqtoe (once; a few minutes at most)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	@echo "Installing tiqtaqtoe with its test tools (once; a few minutes at most)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[test]'
	@touch $@ $(VENV)/.installed
