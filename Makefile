# make run    set everything up and open the reader
# make smoke  the quick tests of the reader
# make test   set everything up and run every test
# make server set the record service up and run it
# make help   the rest

PREFIX ?= /usr/local
SCRATCH ?= .build
ARGS ?=

# Colours are an option of the compiler: if they depended on whether the output is a terminal,
# everything would be compiled again whenever that changes.
BUILD = swift build --disable-local-rpath --no-color-diagnostics
SWIFT_BUILD = $(BUILD) --scratch-path $(SCRATCH)
# The reader has a build directory of its own: with the manifest that has nothing of the server, and
# without a build of the tests taking its place.
READER_SCRATCH ?= $(SCRATCH)-reader
READER_BUILD = READER_ONLY=1 $(BUILD) --scratch-path $(READER_SCRATCH)
# So have the tests. They run in a release build with assertions: a debug build takes as long to
# build, and much longer to run.
TEST_SCRATCH ?= $(SCRATCH)-tests
TESTABLE = -c release -Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug
LOGGED = sh Tests/run_tests.sh $(TEST_SCRATCH)/$@.log
# Without `swift test`, which only one process can run in a build directory.
RUN_TESTS = $(LOGGED) \
  $(TEST_SCRATCH)/release/quran-viPackageTests.xctest --testing-library swift-testing
# The tests that depend on the storage of records.
STORAGE_TESTS = ^SchemaTests\.|^RecordServerTests\.(APIToken|Account|AccountDatabase|AccountStorage|$\
  Asset|AssetHTTP|Atomic|Deletion|Feed|Grant|History|HistoryHTTP|HistoryRetention|HistoryToken|$\
  Invitation|Isolation|IsolationHTTP|Limit|Model|Modify|PasswordSignIn|PostgreSQL|PushChannelHTTP|$\
  Query|QueryBudget|QueryProperty|Quota|Reference|RequiredField|SQLConnection|SchemaService|$\
  ServiceMove|Session|SeveralProcesses|SignInFlow|SignInHTTP|SignedRequest|Statement|StatementCost|StoredField|Subscription|$\
  Zone)Tests|^RecordServiceCommandTests\.MoveCommandTests
# One self-contained binary: the Swift runtime inside, symbols left out. Swift's link options export
# 17,000 for libraries that the program loads. Ours need none of them, and the runtime's dladdr would
# search through all of them at every start.
# At a fixed address, which spares moving 35,000 pointers at every start.
RELEASE = -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker -s \
  -Xlinker --no-export-dynamic $(STATIC_CXX) -Xswiftc -Xclang-linker -Xswiftc -no-pie
# The C++ runtime, which Swift's stands on, goes inside as well where the compiler
# has it in that form: to load it takes a third of a start.
CXX_LIBRARIES := $(filter /%,$(shell for library in libstdc++.a libgcc_eh.a; do \
  $(CC) -print-file-name=$$library; done))
ifeq ($(words $(CXX_LIBRARIES)),2)
STATIC_LIBRARIES = $(abspath $(SCRATCH))/lib
STATIC_CXX = -Xlinker -L$(STATIC_LIBRARIES) -Xlinker --as-needed -Xlinker -l:libgcc_eh.a
endif
# So do SQLite, zlib, nettle, FriBidi, expat and ncurses: to load ncurses takes 0.3 ms of a start, and
# commands that never use a library would load it, too.
LIBRARIES = $(CXX_LIBRARIES) $(filter /%,$(shell for library in libsqlite3.a libz.a libnettle.a libfribidi.a \
  libexpat.a libncursesw.a libtinfo.a; do \
  $(CC) -print-file-name=$$library; done))
LINK_LIBRARIES = $(if $(STATIC_CXX),mkdir -p $(STATIC_LIBRARIES) && \
  ln -sf $(LIBRARIES) $(STATIC_LIBRARIES)/)
BINARY = $(READER_SCRATCH)/release/quran-vi
SERVER = $(SCRATCH)/release/record-service
# The Arabic text, as far as pip brings it: the package, and where the program looks for the edition.
ARABIC = $(READER_SCRATCH)/arabic
TEXTS = $(dir $(realpath $(BINARY)))../share/quran-vi/texts
MANUAL = $(READER_SCRATCH)/man/quran-vi.1
export QURAN_VI_BINARY = $(abspath $(BINARY))

BUILD_PACKAGES = libncurses-dev libsqlite3-dev zlib1g-dev nettle-dev libfribidi-dev curl
SERVER_PACKAGES = libsqlite3-dev zlib1g-dev libexpat1-dev
TEST_PACKAGES = $(BUILD_PACKAGES) libexpat1-dev binutils locales ncurses-base tmux screen xterm xvfb \
  xdotool man-db python3 python3-venv openssl chromium chromium-driver w3m
# Installed for the tests as well, but only by root, and not where systemd would start them. Without
# them the scripts that need them are skipped.
TEST_EXTRAS = caddy fail2ban nginx-light postgresql
BENCH_PACKAGES = $(BUILD_PACKAGES) python3 python3-venv less ncdu sqlite3
LINT_PACKAGES = python3 python3-venv

.PHONY: run build smoke test build-tests test-swift test-postgresql test-simulations test-service soak server \
  build-server lint format tables man install install-server uninstall bench bench-setup \
  build-flags test-flags bench-server fuzz build-fuzz sanitize sanitize-thread sanitize-address \
  build-sanitize-thread build-sanitize-address mutants build-mutants clean help

run: build
	@exec $(BINARY) $(ARGS)

build: need-build
	@echo "quran-vi: building the reader (the first time takes some minutes) …"
	@$(LINK_LIBRARIES)
	@sh Resources/quran/arabic.sh fetch $(ARABIC) & \
	  $(READER_BUILD) $(RELEASE) --product quran-vi; status=$$?; wait; exit $$status
	@sh Resources/quran/arabic.sh install $(ARABIC) $(BINARY)

server: build-server
	@exec $(SERVER) serve $(ARGS)

build-server: need-server
	@echo "record-service: building the server (the first time takes some minutes) …"
	@$(LINK_LIBRARIES)
	@$(SWIFT_BUILD) $(RELEASE) --product record-service

build-tests: need-test
	$(BUILD) --scratch-path $(TEST_SCRATCH) $(TESTABLE) --build-tests

# The format, and the tests of the reader that start few programs or none.
smoke: need-test lint build-tests
	$(RUN_TESTS) --filter \
	  '^(Quran|Text|Editions|Library|LegacyImport|ConfigFile|CloudRecords|RecordClient|QuranEnc|Sync)Tests\.' \
	  --filter '^(Messages|Terminal|Reader|Commands)Tests\.' \
	  --skip '^LibraryTests\.(Kill|Sharing)Tests'

# The simulations only take the time of the processors that the others leave: tests of terminals
# fail on a machine that has more to do than it has processors. The scripts of the service, which
# mostly wait, follow them. What failed is said again at the end.
test: need-test $(MANUAL) build-tests
	@rm -f $(TEST_SCRATCH)/test-*.log
	@status=0; \
	{ nice -n 19 $(MAKE) --no-print-directory test-simulations; simulations=$$?; \
	  $(MAKE) --no-print-directory test-service && exit $$simulations; } & others=$$!; \
	$(MAKE) --no-print-directory test-swift || status=1; \
	$(MAKE) --no-print-directory test-postgresql || status=1; \
	wait $$others || status=1; \
	[ $$status = 0 ] || { sh Tests/run_tests.sh --failures $(TEST_SCRATCH)/test-*.log; exit 1; }

test-swift test-postgresql test-simulations smoke: export NO_COLOR = 1
# So many tests at once: all of them would wait for each other, and for longer than a
# screen or a service is waited for.
test-swift test-postgresql smoke: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8
test-swift:
	$(RUN_TESTS) $(or $(TEST_ARGS),--skip '^SimulatorTests\.')

# The tests that depend on storage once more, on a PostgreSQL server that they start themselves.
test-postgresql: export TEST_STORAGE = postgresql
test-postgresql:
	@if { command -v initdb || ls /usr/lib/postgresql/*/bin/initdb; } >/dev/null 2>&1; then \
	  $(RUN_TESTS) --filter '$(STORAGE_TESTS)'; \
	else \
	  echo "PostgreSQL is missing, so the tests of storage have run on SQLite alone."; \
	  [ "$$CI" != true ]; \
	fi

test-simulations:
	$(RUN_TESTS) --filter '^SimulatorTests\.'

test-service:
	$(LOGGED) python3 Tests/ServiceTests/run.py $(TEST_SCRATCH)/release/record-service

# The tests with long counts, in parts of at most half an hour. A part that passed runs again once
# the files that it tests have changed.
soak: need-test
	python3 Tests/soak.py --scratch $(SCRATCH) $(ARGS)

SWIFT_SOURCES = Package.swift Sources Tests Benchmarks Examples
PYTHON_SOURCES = Tests Benchmarks Resources
RUFF = $(SCRATCH)/lint/bin/ruff
lint: need-lint $(SCRATCH)/lint/ready
	swift format lint --strict --recursive --parallel $(SWIFT_SOURCES)
	$(RUFF) format --no-cache --check $(PYTHON_SOURCES)
	$(RUFF) check --no-cache $(PYTHON_SOURCES)
	python3 Tests/lint/architecture.py .
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/lint/test_architecture.py
	python3 Tests/Mutants/run.py --check

# First what can be mended, then the format of what came of it. What is left `make lint` tells.
format: need-lint $(SCRATCH)/lint/ready
	swift format --in-place --recursive --parallel $(SWIFT_SOURCES)
	$(RUFF) check --no-cache --fix-only $(PYTHON_SOURCES)
	$(RUFF) format --no-cache $(PYTHON_SOURCES)

# Ruff, which checks and formats Python, in a virtual environment.
$(SCRATCH)/lint/ready: Tests/lint-requirements.txt | need-lint
	@echo "quran-vi: installing what checks the Python files …"
	@python3 -m venv --clear $(SCRATCH)/lint
	@$(SCRATCH)/lint/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

tables:
	python3 Resources/quran/generate-tables.py

# The manual: what the argument parser knows of the commands, then the keys,
# then what stands in Resources/man.
man: $(MANUAL)

$(BINARY): build
	@:

MANUAL_SECTIONS = Resources/man/config.mdoc Resources/man/sections.mdoc
$(MANUAL): $(BINARY) $(MANUAL_SECTIONS)
	@echo "quran-vi: writing the manual …"
	@$(READER_BUILD) $(RELEASE) --product generate-manual
	@mkdir -p $(@D)
	@{ LC_ALL=C $(READER_SCRATCH)/release/generate-manual $(BINARY) --output-directory - && \
	  LC_ALL=C $(BINARY) --manual-keys && cat $(MANUAL_SECTIONS); } > $@.new
	@mv $@.new $@

install: $(MANUAL)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/quran-vi
	@for text in $(TEXTS)/*.edition; do \
	  [ ! -f "$$text" ] || install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/quran-vi/texts "$$text"; \
	done
	install -m 644 $(MANUAL) $(DESTDIR)$(PREFIX)/share/man/man1/quran-vi.1
	$(BINARY) --generate-completion-script bash \
	  > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/quran-vi
	$(BINARY) --generate-completion-script zsh \
	  > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_quran-vi
	$(BINARY) --generate-completion-script fish \
	  > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/quran-vi.fish

install-server: build-server
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/systemd/system
	install -m 755 $(SERVER) $(DESTDIR)$(PREFIX)/bin/record-service
	sed 's|/usr/local/bin/|$(PREFIX)/bin/|' Resources/record-service/record-service.service \
	  > $(DESTDIR)$(PREFIX)/lib/systemd/system/record-service.service

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/quran-vi $(DESTDIR)$(PREFIX)/bin/record-service \
	  $(DESTDIR)$(PREFIX)/lib/systemd/system/record-service.service \
	  $(DESTDIR)$(PREFIX)/share/man/man1/quran-vi.1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions/quran-vi \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_quran-vi \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/quran-vi.fish \
	  $(DESTDIR)$(PREFIX)/share/quran-vi/texts/*.edition

bench: need-bench build build-server
	Benchmarks/run $(BINARY) --service $(SERVER)

# How long the first `make run` takes, beside a package with the two largest dependencies alone.
bench-setup: need-build
	python3 Benchmarks/set_up.py $(ARGS)

# What set_up.py builds that package with.
build-flags:
	@$(LINK_LIBRARIES)
	@echo --disable-local-rpath $(RELEASE)

# What the mutants are built with.
test-flags:
	@echo $(TESTABLE)

# Records beside Kinto, a test's container, and what 1,000 idle long polls take, plain and over TLS.
# `make bench-server ARGS=--stored=0` stores no 10 million records, which take 17 GB of the disk.
KINTO = Benchmarks/.build-venv-kinto
bench-server: need-test build-server
	@[ $(KINTO)/ready -nt Benchmarks/kinto.txt ] || { python3 -m venv --clear $(KINTO) \
	  && $(KINTO)/bin/pip install --quiet --disable-pip-version-check -r Benchmarks/kinto.txt \
	  && touch $(KINTO)/ready; }
	RECORD_SERVICE_BINARY=$(SERVER) python3 Benchmarks/server.py --kinto $(KINTO)/bin/kinto $(ARGS)
	@$(SWIFT_BUILD) $(RELEASE) --product container-bench
	$(SCRATCH)/release/container-bench Resources/schema/famefit.ckdb
	RECORD_SERVICE_BINARY=$(SERVER) python3 Tests/ServiceTests/polls.py

# Tests with the thread sanitizer and with the address sanitizer.
SANITIZED = '^(CloudRecords|LegacyImport|Library|RecordClient|RecordServer|Sync|Terminal)Tests\.'
sanitize: sanitize-thread sanitize-address

sanitize-thread sanitize-address: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4
sanitize-thread: RUNNER = python3 -u Tests/thread_sanitizer.py
# Leaks are not looked for: references in which the Swift runtime keeps bits of its own are not
# followed, so that even values of globals are reported.
sanitize-address: export ASAN_OPTIONS = detect_leaks=0:suppressions=$(CURDIR)/Tests/address_sanitizer.supp
sanitize-thread sanitize-address: sanitize-%: build-sanitize-%
	$(RUNNER) swift test --scratch-path .build-sanitize-$* --skip-build --disable-xctest $(TESTABLE) \
	  --sanitize=$* --filter $(SANITIZED)

build-sanitize-thread build-sanitize-address: build-sanitize-%: need-test
	swift build --scratch-path .build-sanitize-$* $(TESTABLE) --build-tests --sanitize=$*

# Mutants of the sync engine and of the service, which the simulations must find.
MUTANTS_SCRATCH = .build-mutants
mutants: build-mutants
	python3 -u Tests/Mutants/run.py --work $(MUTANTS_SCRATCH) $(ARGS)

build-mutants: need-test
	python3 -u Tests/Mutants/run.py --work $(MUTANTS_SCRATCH) --scratch $(TEST_SCRATCH) --build

# The decoder of other people's files, fed with what grows out of the tests' own.
FUZZ_SCRATCH = .build-fuzz
FUZZ_SECONDS ?= 600
build-fuzz: need-build
	FUZZ=1 swift build --scratch-path $(FUZZ_SCRATCH) -c release --sanitize fuzzer \
	  --product LegacyImportFuzz

fuzz: build-fuzz
	mkdir -p $(FUZZ_SCRATCH)/corpus
	SWIFT_BACKTRACE=enable=no $(FUZZ_SCRATCH)/release/LegacyImportFuzz -max_len=65536 \
	  -rss_limit_mb=512 -timeout=5 -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 \
	  -artifact_prefix=$(FUZZ_SCRATCH)/ $(FUZZ_SCRATCH)/corpus \
	  Tests/LegacyImportTests/Fixtures/same Tests/LegacyImportTests/Fixtures/wrong \
	  Tests/LegacyImportTests/Fixtures/hostile Tests/LegacyImportTests/Fixtures/large

clean:
	rm -rf $(SCRATCH) $(READER_SCRATCH) $(TEST_SCRATCH) $(FUZZ_SCRATCH) .build-sanitize-thread \
	  .build-sanitize-address $(MUTANTS_SCRATCH) Benchmarks/.build Benchmarks/.build-venv $(KINTO) \
	  Examples/notes/.build

help:
	@echo "make run [ARGS=2:255]     build and open the reader"
	@echo "make smoke                the format and the quick tests of the reader"
	@echo "make test                 build and run every test"
	@echo "make soak [ARGS=--list]   the tests with long counts; parts that passed are not run again"
	@echo "make server [ARGS=…]      build and run the record service"
	@echo "make install PREFIX=DIR   the reader, its manual and completions ($(PREFIX))"
	@echo "make install-server PREFIX=DIR   the record service and its systemd unit"
	@echo "make uninstall PREFIX=DIR"
	@echo "make bench                measure against less, ncdu and two other readers"
	@echo "make bench-setup          measure how long the first make run takes"
	@echo "make bench-server         measure the record service beside Kinto, and its long polls"
	@echo "make sanitize             tests with the thread sanitizer and the address sanitizer"
	@echo "make fuzz FUZZ_SECONDS=600  feed broken files to the import"
	@echo "make lint | format        check or mend the format of the sources"
	@echo "make tables               the book's tables from Resources/quran"

# What Debian calls the things needed. Elsewhere the build says what it misses.
need-%:
	@command -v swift >/dev/null || { \
	  echo "quran-vi needs Swift 6.1 or later: https://www.swift.org/install"; exit 1; }
	@command -v dpkg-query >/dev/null || exit 0; \
	missing() { \
	  for package in $$*; do \
	    dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' \
	      || printf ' %s' $$package; \
	  done; \
	}; \
	install() { \
	  echo "quran-vi: installing $$* …"; \
	  { apt-get -o Acquire::Retries=5 update && DEBIAN_FRONTEND=noninteractive \
	    apt-get -o Acquire::Retries=5 install -y --no-install-recommends $$*; } >/dev/null; \
	}; \
	packages=$$(missing $($(shell echo $* | tr a-z A-Z)_PACKAGES)); \
	if [ "$$(id -u)" != 0 ]; then \
	  [ -z "$$packages" ] || { echo "Install these first: sudo apt-get install$$packages"; exit 1; }; \
	  exit 0; \
	fi; \
	[ -z "$$packages" ] || install $$packages \
	  || { echo "Could not install:$$packages"; exit 1; }; \
	[ ! -d /run/systemd/system ] || exit 0; \
	extras=$$(missing $($(shell echo $* | tr a-z A-Z)_EXTRAS)); \
	[ -z "$$extras" ] || install $$extras || echo "Could not install, so their tests are skipped:$$extras"
