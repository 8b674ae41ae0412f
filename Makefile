# make play    set everything up in .venv and play a seeded demonstration game
# make test    lint, types and every test, slow ones included; a game from the wheel
# make floors  fast tests with the lowest versions allowed, and on every interpreter found
#
# Campaigns, minutes to hours each (tests/README.md says what they do and what can be set):
# make fuzz        a million inputs for everything that reads, with coverage guidance (needs atheris)
# make model       the public API against the oracle, under every combination of level and options
# make kills       SIGKILL, SIGTERM and SIGHUP while the program saves, observes or waits for a job, on devices too
# make mutation    rules, dice, gates, lean circuits and decoder changed; the tests must notice
# make statistics  ten million samples of every random path
# make checks      300 true checks at each of Levels 2 to 5, for false alarms
# make coherent    one preparation for both modes, exact at 1,000 random moments of every level
# make witness     states without entanglement in 1,000 runs on a simulated device: none is shown
# make luck        chance favours nobody in ten thousand reviewed games of each level
# make variants    the value of every variant that has none yet (AGAIN=1: all of them, the same bits)
# make noise       200 honest and biased devices for each of fifteen compiled boards: false alarms, and biases seen
# make browser     whole games in Chromium at every level by mouse, keys, taps and drags, with figures
# make board-pictures   the README's pictures of the board, in examples/board
#
# The interpreter is the first Python 3.11 or newer found; PYTHON=/path/to/python3 chooses another.

VENV := .venv
BIN := $(VENV)/bin
PYTEST_WORKERS ?= 2

CAMPAIGN := nice -n 15 $(BIN)/python -m tests.campaigns
FUZZ_RUNS := tokens=350000 records=250000 stored=200000 tables=80000 jobs=60000 matches=60000 \
	pending=30000 counts=100000 archives=10000 games=20000 commands=12000 prompts=2500
GAMES ?= 6
KILLS ?= 1250
MUTANTS ?=
SAMPLES ?= 10000000
CHECKS ?= 300
NOISE ?= 200
LUCK ?= 10000
POSITIONS ?= 1000
RUNS ?= 1000
BOARD_GAMES ?= 2

.PHONY: play test floors fuzz model kills mutation statistics checks noise coherent witness luck variants browser board-pictures clean
.DELETE_ON_ERROR:

play: $(VENV)/.installed
	@$(BIN)/qttt play --demo
	@echo
	@echo "Now play yourself: $(BIN)/qttt play --level 1 --o easy"

test: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	.ci/page-types
	$(BIN)/python -m pytest -m "" -n $(PYTEST_WORKERS) --dist worksteal

floors:
	.ci/floors

fuzz: $(VENV)/.installed-fuzz
	for run in $(FUZZ_RUNS); do $(CAMPAIGN).fuzz "$${run%=*}" --runs "$${run#*=}" || exit 1; done

model: $(VENV)/.installed-test
	$(CAMPAIGN).model --games $(GAMES)

kills: $(VENV)/.installed-test
	$(CAMPAIGN).kills --kills $(KILLS)
	nice -n 15 $(BIN)/python -m tests.benchmarks.kills --kills 200
	$(CAMPAIGN).sent_once --kills 200

mutation: $(VENV)/.installed-test
	$(CAMPAIGN).mutation $(if $(MUTANTS),--sample $(MUTANTS))

statistics: $(VENV)/.installed-test
	$(CAMPAIGN).battery --samples $(SAMPLES)

checks: $(VENV)/.installed-test
	$(CAMPAIGN).checks --checks $(CHECKS)

noise: $(VENV)/.installed-test
	$(CAMPAIGN).noise --seeds $(NOISE)

coherent: $(VENV)/.installed-test
	$(CAMPAIGN).coherent --positions $(POSITIONS)

witness: $(VENV)/.installed-test
	$(CAMPAIGN).witness --runs $(RUNS)

luck: $(VENV)/.installed-test
	$(CAMPAIGN).luck --games $(LUCK)

variants: $(VENV)/.installed-test
	nice -n 15 $(BIN)/python -m examples.best_play.variants $(if $(AGAIN),--again)

browser: $(VENV)/.installed-notebooks
	.ci/page-types
	$(CAMPAIGN).browser --games $(BOARD_GAMES)
	$(CAMPAIGN).notebook

board-pictures: $(VENV)/.installed-test
	$(CAMPAIGN).browser --pictures examples/board

clean:
	rm -rf $(VENV) .floors .typescript build dist

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

$(VENV)/.installed-fuzz: $(VENV)/.installed-test
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[fuzz]'
	@touch $@

$(VENV)/.installed-notebooks: $(VENV)/.installed-test
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[notebooks]'
	@touch $@
