# Everything a person or CI does with this repository. `make` alone lists it.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
ARGS ?=
# Parallel test processes: one for each core, at most 4, so that the browsers find some too.
TEST_PROCESSES ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$(( n > 4 ? 4 : n )))

# A deployment's environment, for its checks: nothing connects to these.
PRODUCTION = SECRET_KEY=$$(head -c 48 /dev/urandom | base64 -w 0) ALLOWED_HOSTS=bench.example.org \
  DATABASE_URL=postgres://user:password@db.example.org/benchsite REDIS_URL=redis://:password@redis.example.org/0 \
  CACHE_REDIS_URL=redis://:password@cache.example.org/0

.DEFAULT_GOAL := help
.PHONY: help run cassandra ycsb latte quick test check lint types imports django sizes openapi openapi-check lock audit bench fuzz siege storm docker-check compose-check clean
.NOTPARALLEL:

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo "  Variables: PORT, HOST, DATA_DIR (make run); VERSION (make cassandra); ARGS (make test ARGS='-k compare'); PYTHON, VENV"

run: $(VENV)/.installed ## start the site; PORT=8000 HOST=127.0.0.1 DATA_DIR=.data
	@exec $(BIN)/python manage.py serve

cassandra: $(VENV)/.installed ## fetch Cassandra for runs on this machine; VERSION=5.0.x, ARGS=--maven
	$(BIN)/python manage.py fetch_cassandra $(if $(VERSION),--version $(VERSION)) $(ARGS)

ycsb: $(VENV)/.installed ## fetch YCSB for runs on this machine: from MAVEN_MIRROR, or ARGS=--maven
	$(BIN)/python manage.py fetch_load_tool ycsb $(ARGS)

latte: $(VENV)/.installed ## fetch latte for runs on this machine: from LATTE_MIRROR, or ARGS=--cargo, which builds it
	$(BIN)/python manage.py fetch_load_tool latte $(ARGS)

quick: lint types ## after each change: rules, types, and the tests that need no service
	$(BIN)/python -m pytest -q -n $(TEST_PROCESSES) --dist worksteal -p no:schemathesis -m pure tests $(ARGS)

test: $(VENV)/.installed-dev ## the whole suite; a part of it with ARGS='-k compare'
	@.ci/chromium
	$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist worksteal $(ARGS)

check: lint imports types django sizes openapi-check ## all that CI checks, without the tests

lint: $(VENV)/.installed-dev ## ruff: rules and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.installed-dev ## mypy --strict on every package
	$(BIN)/mypy

imports: $(VENV)/.installed-dev ## imports go downwards only
	$(BIN)/lint-imports

django: $(VENV)/.installed-dev ## Django's checks, missing migrations, the checks of a deployment
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/python manage.py makemigrations --check --dry-run
	env $(PRODUCTION) $(BIN)/python manage.py check --deploy --fail-level WARNING

sizes: $(VENV)/.installed-dev ## no file of ours over 400 lines, no template line over 160 characters
	@git ls-files -z --cached --others --exclude-standard -- '*.py' '*.js' '*.css' '*.html' ':!static/vendor' ':!tests/data' ':!*/migrations/*' \
	  | xargs -0 wc -l | awk '$$2 != "total" && $$1 > 400 { print $$2 ": " $$1 " lines, the limit is 400"; bad = 1 } END { exit bad }'
	@git ls-files -z --cached --others --exclude-standard -- 'templates/*.html' \
	  | LC_ALL=C.UTF-8 xargs -0 awk 'length > 160 { print FILENAME ":" FNR ": " length " characters, the limit is 160"; bad = 1 } END { exit bad }'

openapi: $(VENV)/.installed-dev ## write docs/openapi.json
	$(BIN)/python manage.py spectacular --format openapi-json --validate --fail-on-warn --file docs/openapi.json

openapi-check: $(VENV)/.installed-dev ## docs/openapi.json says what the code does
	@mkdir -p build
	$(BIN)/python manage.py spectacular --format openapi-json --validate --fail-on-warn --file build/openapi.json
	@diff -u docs/openapi.json build/openapi.json || { echo "docs/openapi.json is behind: make openapi"; exit 1; }

lock: $(VENV)/.installed-dev ## compile requirements*.txt; newer versions with ARGS=--upgrade
	for name in requirements requirements-dev; do \
	  $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-emit-index-url \
	    --no-emit-find-links --custom-compile-command "make lock" $(ARGS) $$name.in -o $$name.txt || exit 1; \
	done

audit: $(VENV)/.installed-dev ## known vulnerabilities of what is locked
	@$(BIN)/pip-audit --strict --require-hashes --disable-pip $(ARGS) -r requirements.txt \
	  || { echo "not audited, or vulnerable: see above. It needs https://pypi.org itself, or ARGS='-s osv' and https://api.osv.dev"; exit 1; }

bench: $(VENV)/.installed-dev ## measure the site with 1k, 100k and 1M results; ARGS='--rows 100k --only pages', ARGS=--compare=FILE
	$(BIN)/python -m bench $(ARGS)

fuzz: $(VENV)/.installed-dev ## odd input everywhere: none may be a server error; FUZZ=150 examples of each API operation
	FUZZ=$(or $(FUZZ),150) $(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist worksteal tests/fuzz tests/submissions/api/test_schema.py $(ARGS)

siege: $(VENV)/.installed-dev ## attack a site of its own, or that of PORT=8000 ARGS='--token ...', and print the goals; ARGS='--only prices,lock'
	$(BIN)/python -m bench.siege $(if $(PORT),--port $(PORT)) $(ARGS)

storm: $(VENV)/.installed-dev ## hundreds of runs while workers die, calls fail and the database goes away; ARGS='--seed 7 --aws 300 --gce 100 --local 30'
	$(BIN)/python -m tests.lab.storm_at_length $(ARGS)

docker-check: $(VENV)/.installed-dev ## hadolint, and docker-compose.yml where a compose is installed
	$(BIN)/hadolint Dockerfile
	@set -e; compose=$$(command -v docker-compose || { docker compose version >/dev/null 2>&1 && echo docker compose; } || true); \
	if [ -z "$$compose" ]; then echo "no docker-compose here: docker-compose.yml was not checked"; \
	else test -e .env || { touch .env; trap 'rm .env' EXIT; }; env SECRET_KEY=x POSTGRES_PASSWORD=x REDIS_PASSWORD=x ALLOWED_HOSTS=localhost $$compose -f docker-compose.yml config --quiet \
	  && echo "docker-compose.yml: ok"; fi

compose-check: $(VENV)/.installed-dev ## docker-compose.yml really up, where a Docker engine is: upload, back up, restore, upgrade
	$(BIN)/python -m deploy.check

clean: ## remove what was installed and built; the data stays
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .data-test

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || $(PYTHON) -m virtualenv $(VENV) || { rm -rf $(VENV); \
	  echo "Python's venv module is missing: apt-get install python3-venv (Debian, Ubuntu), or pip install virtualenv"; exit 1; }

$(VENV)/.installed: requirements.txt | $(BIN)/python
	@$(BIN)/python .ci/install $(BIN)/python requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	@$(BIN)/python .ci/install $(BIN)/python requirements-dev.txt
	@touch $@
