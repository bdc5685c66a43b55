# The two commands: `make up` and `make test`. Everything else is listed by `make help`.
STACK ?= dev
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ifeq ($(NODE),real)
RUN := $(BIN)/python -m tools.real_stack
PLANE := --name real --node real --crds none
else
RUN := $(BIN)/python -m tools.program --stack $(STACK)
PLANE := --name local-$(STACK)
endif

.DEFAULT_GOAL := help
.PHONY: help env toolchain up preview down status render validate verify test lint fuzz bench recovery operators cluster cluster-down

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'
	@echo "  NODE=real runs the pods of the stack that \`modelservices init\` makes in containers: as root, on Linux."
	@echo "  STACK=staging|prod chooses another stack than dev; KUBECONFIG a cluster of yours instead of a local one; up and"
	@echo "  down show what they would do there and ask first: YES=1 answers."

$(VENV)/.installed: requirements.txt requirements-dev.txt pyproject.toml setup.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --disable-pip-version-check -r requirements-dev.txt
	@mkdir -p $(VENV)/types && ln -sfn ../../components $(VENV)/types/modelservices  # pyright reads no import hooks
	@touch $@

env: $(VENV)/.installed  ## make the Python environment (.venv)

toolchain:  ## find or build engine and control plane (once a machine, into the user's cache)
	@$(PYTHON) -m tools.toolchain build
	@$(PYTHON) -m tools.llama_server

up: env  ## bring the stack up and print its status (starts a local control plane unless a cluster is given)
	@$(RUN) up

preview: env  ## show what `up` would change
	@$(RUN) preview

down: env  ## remove everything of the stack
	@$(RUN) down

status: env  ## the status table
	@$(RUN) status

render: env  ## print the stack's Kubernetes objects as YAML
	@$(BIN)/python -m modelservices render --stack $(STACK)

validate: env  ## check the stack's manifests
	@$(BIN)/python -m modelservices validate --stack $(STACK)

verify: env  ## regenerate schemas, examples' output and docs' generated parts, and fail if they differ
	@$(BIN)/python -m tools.generate --check

generate: env  ## regenerate schemas, examples' output and docs' generated parts
	@$(BIN)/python -m tools.generate

lint: env  ## ruff and pyright
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/pyright

test: env toolchain lint verify  ## the whole suite
	$(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder

fuzz: env  ## change reference inputs at random, FUZZ_SECONDS long (600); what breaks is kept in tests/security/corpus
	$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=default
	$(BIN)/python -m tests.security.fuzzing $(or $(FUZZ_SECONDS),600)

bench: env toolchain  ## performance as ratios, side by side (QUICK=1: two minutes; ONLY=part; COMPARE=file: beside an earlier run)
	$(BIN)/python -m bench $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY)) $(if $(COMPARE),--compare $(COMPARE))

recovery: env toolchain  ## kill an update of 100 services at twenty random moments, and recover: a quarter of an hour
	RECOVER_SERVICES=100 RECOVER_KILLS=20 $(BIN)/python -m pytest tests/integration/test_recover.py -k killed_updates -s

operators: env toolchain  ## take over from the operators' real controllers; the first run builds these
	@$(BIN)/python -m tools.operators
	$(BIN)/python -m pytest -m operators tests/integration/real_operators

cluster:  ## start the stack's local control plane and print its kubeconfig
	@$(PYTHON) -m tools.control_plane start $(PLANE)

cluster-down:  ## stop it
	@$(PYTHON) -m tools.control_plane stop $(PLANE)
