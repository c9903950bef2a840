# SPDX-License-Identifier: Apache-2.0
# `make run` and `make test` install what they need. `make help` lists all targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
NF := reference-nf/build
NF_ASAN := reference-nf/build-asan
NF_TSAN := reference-nf/build-tsan
NF_FUZZ := reference-nf/build-fuzz
FUZZ_MINUTES ?= 60
PORT ?= 8080
BENCH ?= all
MUTANTS ?= --resume
export WHOLE
# Marks that a pytest suite does not run; with WHOLE it runs all, as the nightly tier does (make test-X-whole).
DAY := $(if $(WHOLE),,-m "not nightly")
DAY_ALONE := $(if $(WHOLE),,and not nightly)
WHOLE_SUITES := $(addsuffix -whole,$(addprefix test-,server nf nf-asan nf-tsan agent agent-timed contract core end-to-end demo))
# Its plug-in costs every test process half a second, and reading the API's description many; only the night runs it.
RANDOM_API := server/tests/app/test_openapi_random.py
WITH_RANDOM_API := -p schemathesis.pytest.plugin
DAY_SERVER := $(if $(WHOLE),$(WITH_RANDOM_API),$(DAY) --ignore $(RANDOM_API))
AGENT_UNITS := $(addprefix agent/tests/,artifacts cli config counters report runtime self_counting server_api shell source store) \
	$(addprefix --ignore agent/tests/runtime/,test_interrupt.py test_killed.py)
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Without compiled modules every command and server of a test starts seconds later.
unexport PYTHONDONTWRITEBYTECODE
# Another checkout's packages would be tested in place of this one's.
unexport PYTHONPATH
# The compiler lists the headers of a file, so that no preprocessor runs before it.
export CCACHE_DEPEND := 1
# Checkouts share what mypy knows of files, by their contents: without it, it takes a minute.
export MYPY_CACHE_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/nalm-mypy
# As the programs set it for themselves; tests may load NumPy before them.
export OPENBLAS_NUM_THREADS := 1

PAGE := server/nalm_server/static/index.html
PAGE_SOURCES := $(shell find web -path web/node_modules -prune -o -type f -print 2>/dev/null)

# Every suite of a tier: tests/run_suites.py.
.PHONY: help run check test test-nightly install install-test page nf nf-built nf-asan nf-tsan nf-fuzz lint test-core test-agent-units test-agent test-agent-timed test-server-sqlite test-server test-nf-units test-nf test-nf-outside test-nf-asan \
	test-nf-tsan test-nf-fuzz fuzz test-strangers test-dist dist test-web test-contract test-end-to-end test-demo $(WHOLE_SUITES) test-pictures pictures test-compose test-faults test-story test-forge test-random bench test-github-payloads advisories mutants lock openapi screenshot clean

help: ## Lists the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

# A signal that ends make, even SIGKILL, ends the demo, which then ends everything that it started.
run: install page ## Installs everything, makes the demo's history, measures each merge, prints the verdicts and serves them
	@exec setpriv --pdeathsig TERM $(BIN)/nalm-server demo --port $(PORT)

check: install-test ## Before a commit: lint, the page, unit suites, the server on SQLite, the reference NF's units
	@exec $(BIN)/python tests/run_suites.py check

test: install-test ## Before a merge: installs what is missing and runs the suites
	@exec $(BIN)/python tests/run_suites.py test

test-nightly: install-test ## Every suite whole, both databases, all mutants, fuzzing, faults, compose, ...; WITHOUT=SUITE skips one
	@exec $(BIN)/python tests/run_suites.py nightly $(addprefix --without ,$(WITHOUT))

install: ## Installs what `make run` needs
	@.ci/install run

install-test: ## Installs what `make test` needs
	@.ci/install test

page: ## Builds the dashboard into the server
	@mkdir -p .cache && flock .cache/page.lock $(MAKE) $(PAGE)

$(PAGE): $(PAGE_SOURCES)
	@echo "==> building the page" && cd web && \
		{ npm run -s build >../.cache/page.log 2>&1 || { tail -n 30 ../.cache/page.log; exit 4; }; }
	@touch $(PAGE)

nf: ## Builds the reference NF
	@mkdir -p .cache && flock .cache/nf.lock $(MAKE) nf-built

# Suites that run side by side build the NF one after another.
nf-built:
	@[ -f $(NF)/build.ninja ] || CC="ccache gcc" CXX="ccache g++" meson setup $(NF) reference-nf --buildtype=release >/dev/null
	@ninja -C $(NF) nalm-nf

# Checkouts share these objects: a report of a sanitizer names files as they are below reference-nf.
nf-asan nf-tsan nf-fuzz test-nf-asan test-nf-tsan test-nf-fuzz fuzz: export CCACHE_NOHASHDIR := 1

nf-asan: ## Builds the reference NF with AddressSanitizer and UndefinedBehaviorSanitizer
	@[ -f $(NF_ASAN)/build.ninja ] || CC="ccache gcc" CXX="ccache g++" meson setup $(NF_ASAN) reference-nf --buildtype=debugoptimized \
		-Db_sanitize=address,undefined -Db_lundef=false >/dev/null
	@ninja -C $(NF_ASAN) nalm-nf

# The two macros replace DPDK's assembly for rings and locks by code that TSan can check.
nf-tsan: ## Sets up a build with ThreadSanitizer
	@[ -f $(NF_TSAN)/build.ninja ] || CC="ccache gcc" CXX="ccache g++" meson setup $(NF_TSAN) reference-nf --buildtype=debugoptimized \
		-Db_sanitize=thread -Db_lundef=false \
		-Dc_args="-DRTE_USE_C11_MEM_MODEL -DRTE_FORCE_INTRINSICS -Wno-tsan" >/dev/null

nf-fuzz: ## Builds the fuzzing programs, with clang
	@[ -f $(NF_FUZZ)/build.ninja ] || { clang=$$(reference-nf/fuzz/find_clang.sh) && \
		CC="ccache $$clang" CXX="ccache $${clang%clang*}clang++$${clang##*clang}" meson setup \
		$(NF_FUZZ) reference-nf --buildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false \
		-Dfuzz=true >/dev/null; }
	@ninja -C $(NF_FUZZ) fuzz_programs

lint: ## ruff, mypy --strict, import directions, house rules, the page's checks
	@ruff check . && ruff format --check . && mypy && lint-imports --no-cache && tests/house_rules.sh

test-core: ## Core's suite
	@pytest -q -n $$(nproc) --maxprocesses 2 --dist loadfile $(DAY) core/tests

test-agent-units: ## The agent's suite without tests that build, start or measure an NF
	@pytest -q -n 2 --dist loadfile $(DAY) $(AGENT_UNITS)

test-agent: ## The agent's suite without tests that measure times
	@pytest -q -n 2 --dist loadfile -m "not timed $(DAY_ALONE)" agent/tests

test-agent-timed: ## The agent's tests that measure times; nothing else may run meanwhile; what fails runs once more
	@pytest -q --reruns 1 -m "timed $(DAY_ALONE)" $$(grep -rl --include='test_*.py' mark.timed agent/tests)

test-server-sqlite: ## The server's suite, only on SQLite
	@TEST_DATABASE=sqlite pytest -q -n 2 --dist loadfile $(DAY_SERVER) server/tests

test-server: ## The server's suite on SQLite, and on PostgreSQL what is marked `dialects`; whole: all on both
	@$(if $(WHOLE),,TEST_DATABASE=marked) pytest -q -n 2 --dist loadfile $(DAY_SERVER) server/tests

test-nf-units: nf ## The reference NF's quick tests, without those of threads, which wait for each other beside other suites
	@meson test -C $(NF) --print-errorlogs --suite fast --no-suite threads

# More parallel tests than cores, because each start of DPDK waits a tenth of a second for its clock; each further
# process loads Scapy and collects for 3 s.
# Parallel threads and an SMF beside them meet ThreadSanitizer (test-nf-tsan), unit tests and packets marked
# `sanitised` AddressSanitizer (test-nf-asan); only the night runs all of them without, too. `make check` has the unit
# tests without.
test-nf: nf ## The reference NF's own tests and golden packets
	@meson test -C $(NF) --print-errorlogs $(if $(WHOLE),,--no-suite threads --no-suite fast) && pytest -q -n 3 --dist worksteal $(if $(WHOLE),,-k "not beside_threads" -m "not nightly and (not sanitised or released)") reference-nf/demo/tests reference-nf/spec/tests

test-nf-outside: nf ## testpmd over memif, tcpreplay over veth, nalm top on testpmd; as root, needs dpdk-dev, tcpreplay, tcpdump
	@sh reference-nf/tests/outside_test.sh $(NF)/nalm-nf reference-nf && pytest -q tests/outside

test-nf-asan: nf-asan ## Unit tests and every stage's golden packets under ASan and UBSan; whole: all but threads (TSan has those) and large tables
	@meson test -C $(NF_ASAN) --print-errorlogs $(if $(WHOLE),,--suite fast --no-suite threads) && NALM_NF=$(CURDIR)/$(NF_ASAN)/nalm-nf \
		pytest -q -n 3 --dist worksteal reference-nf/spec/tests $(if $(WHOLE),-k "not an_lcore_each and not tables_of_any_size and not starts_quickly",-m "sanitised and not nightly")

# setarch, where allowed: otherwise address randomization may leave TSan no room for its shadow memory.
test-nf-tsan: nf-tsan ## Tables, reloads, flow-mods, rings, probe, N4 and every model in threads under ThreadSanitizer; whole: all configurations
	@$(if $(WHOLE),,FEW_THREADS=1) $$(setarch -R true 2>/dev/null && echo setarch -R) meson test -C $(NF_TSAN) --print-errorlogs \
		flow_table_stress table_reload_stress model_stress probe threads upf_store flow_mod_threads && \
		TSAN_OPTIONS=halt_on_error=1 NALM_NF=$(CURDIR)/$(NF_TSAN)/nalm-nf $$(setarch -R true 2>/dev/null && echo setarch -R) \
		pytest -q reference-nf/spec/tests/test_upf_sessions.py -k beside_threads $(if $(WHOLE),,-m "not nightly")

test-nf-fuzz: nf-fuzz ## Four seconds of fuzzing: parsers, configuration, whole chains
	@python3 reference-nf/fuzz/run.py $(NF_FUZZ) --seconds 4

fuzz: nf-fuzz ## An hour of fuzzing that continues the last one; FUZZ_MINUTES=60
	@python3 reference-nf/fuzz/run.py $(NF_FUZZ) --seconds $$(($(FUZZ_MINUTES) * 60)) --keep

test-github-payloads: ## Every payload of npm's @octokit/webhooks-examples gets the right answer
	@npm install --silent --no-audit --no-fund --no-save --prefix .cache/github-payloads @octokit/webhooks-examples@7.6.1
	@$(BIN)/python server/tests/github_payloads.py .cache/github-payloads/node_modules/@octokit/webhooks-examples

advisories: ## Known vulnerabilities of the locked packages, offline; NALM_ADVISORIES=FOLDER has osv-scanner's databases
	@tests/advisories/scan

test-web: ## The page's unit tests and checks
	@cd web && npm run -s check && npm run -s test

test-contract: nf ## The five contracts between rooms
	@pytest -q $(DAY) tests/contract

test-end-to-end: page ## Every page in Chromium, on services with and without figures
	@$(if $(WHOLE),,ONE_VIEW=1) pytest -q $(DAY) tests/end_to_end --ignore tests/end_to_end/test_demo.py

test-demo: page ## The demo through webhook, build, traffic, verdict and page: two of its merges; whole: all
	@$(if $(WHOLE),,DEMO_MERGES=1,4) pytest -q --timeout 1000 $(DAY) tests/end_to_end/test_demo.py

# With all tests that only the nightly tier runs.
$(WHOLE_SUITES): test-%-whole:
	@$(MAKE) test-$* WHOLE=1

test-pictures: page ## Compares every page with its stored picture, by the mean colour of small squares; differences go to .cache/pictures
	@pytest -q tests/pictures

pictures: page ## Stores the pictures of new and changed pages; review them before you commit them
	@NALM_ACCEPT_PICTURES=1 pytest -q tests/pictures

test-random: ## Property tests with new random examples, and many more generated requests to the API
	@WHOLE=1 NALM_RANDOM_REQUESTS=20 pytest -q $(WITH_RANDOM_API) --hypothesis-profile=default --timeout 1800 core/tests $(RANDOM_API) \
		server/tests/jobs/test_jobs_machine.py server/tests/views/test_feeds.py server/tests/base/test_outgoing.py server/tests/campaigns/test_schedules.py

test-compose: ## Starts the shipped containers with stand-in images and measures a commit; as root, needs docker.io, docker-compose, debootstrap
	@pytest -q tests/compose

dist: install page ## Makes dist/: wheels with the page, source archive, the agent's Debian package; the version is git's last tag
	@packaging/make_dist

test-dist: install-test ## Installs what `make dist` makes on bare systems, and over the last version; as root, needs debootstrap
	@pytest -q tests/installed

test-strangers: install-test ## From a Debian package or its sources to a verdict, as docs/bring-your-own-nf says; as root, 1 to 2 hours
	@pytest -q --timeout 3600 tests/strangers

test-faults: ## Kills every process during 200 commits, slows and cuts networks, fills disks; needs toxiproxy (go), minutes
	@tests/faults/install && pytest -q tests/faults

# Real measurements: half an hour on a quiet host; longer on a busy one, where findings may stay inconclusive.
test-story: nf ## Measures the demo's merges, and experiments, through PostgreSQL, Redis, Celery and two agents
	@pytest -q --timeout 10000 tests/story

test-forge: ## A real Gitea: pull request, merge, tag, force push, outage; needs Go 1.26, the first time up to 25 minutes
	@tests/forge/build_gitea.sh && pytest -q --timeout 900 tests/forge

bench: nf page ## Benchmarks, one JSON line each; BENCH=name for one
	@$(BIN)/python tests/bench/run.py $(BENCH)

mutants: ## Every performance mutant against its base; continues a stopped run (MUTANTS=--resume and more)
	@exec $(BIN)/nalm-mutants run --json .cache/mutants.jsonl $(MUTANTS)

lock: ## Regenerates requirements.lock from the pyproject files
	@uv pip compile -q --universal --generate-hashes --python-version 3.11 --group pyproject.toml:dev \
		core/pyproject.toml agent/pyproject.toml server/pyproject.toml --no-emit-package nalm-core \
		--no-emit-index-url --no-annotate --custom-compile-command "make lock" -o requirements.lock

openapi: ## Regenerates server/openapi.json, docs/api-reference.md, docs/nalm-server.md and the page's client
	@$(BIN)/python -m nalm_server.app.openapi >server/.openapi.new && mv server/.openapi.new server/openapi.json && \
		$(BIN)/python -m nalm_server.app.api_reference >server/.openapi.new && mv server/.openapi.new docs/api-reference.md && \
		$(BIN)/python -m nalm_server.cli.command_reference >server/.openapi.new && mv server/.openapi.new docs/nalm-server.md && \
		cd web && npm run -s generate

screenshot: page ## Updates docs/images from the demo (run `make run` first)
	@$(BIN)/python docs/images/take.py --url http://127.0.0.1:$(PORT)

clean: ## Removes builds and the demo's state
	@rm -rf .nalm .cache reference-nf/build reference-nf/build-* web/dist server/nalm_server/static
