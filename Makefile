# Every target works on a fresh clone with Go, Node and make.
GO      ?= go
BIN     := bin
PKGS    ?= ./...
# gRPC comes with the exporter of traces. Its own page of traces would bring html/template, whose calls of methods by name keep every
# method of every type in the program: a fifth of it.
# What debuggers read takes a fifth of the time to build, and releases leave it out too. Without the path of the clone in them, packages
# that one clone has compiled serve the next.
export GOFLAGS += -trimpath -tags=grpcnotrace -gcflags=all=-dwarf=false -ldflags=-w
SHELL   := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.PHONY: run build compiled simserver test sweep fuzz peers test-go test-race test-deploy chart image-steps test-web test-e2e test-ollama \
	test-inspector bench bench-large bench-web pictures recording faults soak mutants lint vuln web web-deps gen man api-facts deps \
	clean docs release release-dry-run test-clients peers-bench

run: build ## builds and serves; without CLOUDFLARE_API_TOKEN the built-in demo account
	@exec $(BIN)/edgeposture serve

build test-go test-race: export GOGC = 400 # collecting garbage less often saves a tenth of the time
build:
	@$(MAKE) --no-print-directory -j2 web compiled
	$(GO) run ./internal/platform/licence web/dist/licences.txt
	$(GO) build -o $(BIN)/edgeposture ./cmd/edgeposture

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	cd web && npm ci --ignore-scripts --no-audit --no-fund
web-deps: web/node_modules/.package-lock.json

WEB_SOURCES := $(shell find web/src web/public web/index.html web/vite.config.ts web/precompress.ts web/tsconfig.json -type f 2>/dev/null)
web/dist/index.html: web/node_modules/.package-lock.json $(WEB_SOURCES)
	cd web && npm run --silent build
web: web/dist/index.html ## the dashboard, into web/dist
compiled: # what does not wait for the dashboard that the program embeds
	$(GO) build $$($(GO) list -e -deps ./cmd/edgeposture | grep -vE '^github.com/edgeposture/edgeposture/(cmd|web|internal/app)')

gen: web-deps ## everything that is generated and committed
	$(GO) run ./internal/assessment/checks/gen
	$(GO) test ./internal/core/snapshot -run TestSourcesAreCommitted -update
	$(GO) test ./internal/engine/assess -run TestDemoIsCommitted -update
	$(GO) test ./internal/delivery/notify -run TestChannelSettingsAreCommitted -update
	$(GO) test ./internal/api/deploytest -run TestChartKnowsEveryVariable -update
	@# The examples are held against the API's document, which has them in it: it is written before and after them.
	$(GO) test ./internal/api/httpapi -run TestOpenAPIIsCommitted -update
	$(GO) test ./internal/app -run TestExamplesAreCommitted -update
	$(GO) test ./internal/platform/metric -run TestMetricsAreCommitted -update
	$(GO) test ./internal/api/httpapi -run 'Test(OpenAPI|Offered)IsCommitted' -update
	$(GO) test ./internal/assessment/attackpath -run TestKindsAreCommitted -update
	$(GO) test ./internal/api/docgen -run 'Test(Pages|Paths)AreCommitted' -update
	$(GO) test ./internal/provider/record -run TestVocabularyIsCommitted -update
	cd web && npm run --silent gen

man: ## man pages of the command line, into build/man
	$(GO) run ./internal/app/command/gen build/man

api-facts: ## what Cloudflare publishes about the operations in use, out of its client (npm cloudflare); git diff shows what changed
	$(GO) test ./internal/provider/apitest -run TestOperationsAreCommitted -update
	cd tools/apifacts && npm ci --ignore-scripts --no-audit --no-fund && node facts.mjs < operations.txt > operations.json
	mv tools/apifacts/operations.json internal/provider/apitest/operations.json

deps: ## what the tests need: Redis, PostgreSQL, Chromium, Poppler (Debian packages)
	@scripts/test-deps

# Tests of the dashboard's parts, and those of Go with the race detector, fill the pauses of those that wait for processes. The browser
# tests come alone: what people wait for is measured there.
test: deps build ## what every change must pass, in some thirteen minutes on two cores
	@$(MAKE) --no-print-directory -j3 test-go test-race test-web
	@$(MAKE) --no-print-directory test-e2e

sweep: deps build simserver peers test-deploy ## the rest: every case of the sweeps, and all other tests with the race detector
	$(GO) test -parallel 5 -timeout 40m -run '^TestSweep' $(SWEEPS)
	$(GO) test -race $(UNRACED) -vet=off -parallel 5 -timeout 60m -skip '^TestSweep' $(PKGS)
	$(GO) test ./internal/delivery/siem
	cd web && EDGEPOSTURE_BIN=$(CURDIR)/$(BIN)/edgeposture npm run --silent sweep
	cd web && EDGEPOSTURE_BIN=$(CURDIR)/$(BIN)/edgeposture LATE=800 npm run --silent e2e

peers: ## the real receiver and client the senders are tested with, and a real provider to sign in at (Go modules, three minutes once)
	@GO=$(GO) scripts/siem-peers
	@GO=$(GO) scripts/dex

# A test named TestSweep... goes through many cases, or kills processes; make test runs a part of their cases and leaves the
# longest out. Building with the race detector takes longer than these tests: make test does it where goroutines share memory
# and little is to be built, make sweep does it everywhere.
SWEEPS  := $$(grep -rl '^func TestSweep' --include=*_test.go internal jobs | xargs dirname | sort -u | sed 's|^|./|')
RACED   := $$($(GO) list $(PKGS) | grep -E '/internal/(platform|provider/budget|provider/cloudflare|engine/queue)(/|$$)')
# Nothing of ours is in SQLite (translated from C) and in the Lua of the tests' Redis.
UNRACED := -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=github.com/yuin/gopher-lua=-race=false
SHORT   := $(GO) test -short -vet=off -parallel 5 -timeout 20m
test-go:
	$(SHORT) $$($(GO) list $(PKGS) | grep -vxF "$(RACED)")
test-race:
	$(SHORT) -run '^TestSweep' $(RACED)
	$(SHORT) -race $(UNRACED) -skip '^TestSweep' $(RACED)

test-deploy: ## the chart, compose.yaml and the Dockerfile, against Helm's, Kubernetes', Compose's and BuildKit's own code
	cd charts && $(GO) test -vet=off ./...

chart: ## lints and renders the chart with helm, and tries its alerts with promtool (both built once, ten minutes)
	@GO=$(GO) scripts/helm-check

image-steps: ## runs the steps of the Dockerfile without a container engine and shows what is in the image (Linux, root)
	@GO=$(GO) scripts/image-steps

test-web: web-deps
	cd web && npm run --silent check:gen && npm run --silent lint && npm test --silent

simserver: ## the simulated provider as a process, for tests that are not written in Go
	$(GO) build -o $(BIN)/simserver ./internal/provider/simcloud/simserver

test-e2e: build simserver
	cd web && EDGEPOSTURE_BIN=$(CURDIR)/$(BIN)/edgeposture npm run --silent e2e

test-inspector: build ## on request: the tools for models against the command line of the official inspector (npm registry once)
	@scripts/inspect-tools

test-clients: build ## on request: the API's document, and clients that three generators make of it, against the service (npm and Go modules once)
	@GO=$(GO) scripts/test-clients

test-ollama: ## on request: the AI planner against a real local model server, built from source (4 minutes once; gcc, g++, python3)
	$(GO) vet -tags localmodel ./internal/remediation/planner
	GO=$(GO) scripts/local-model $(GO) test -count=1 -v -tags localmodel -run LocalModel ./internal/remediation/planner

faults: deps ## everything a deployment hangs on breaks while it assesses, several times each, as a table (half an hour)
	EDGEPOSTURE_FAULT_ROUNDS=$(ROUNDS) $(GO) test -count=1 -timeout 120m -v -run '^(TestSweepFaults|TestSweepSkewedClocks)$$' ./internal/app
ROUNDS ?= 3

soak: deps ## an hour of mixed load with faults; what the processes hold, as a table
	EDGEPOSTURE_SOAK=$(SOAK) $(GO) test -count=1 -timeout 180m -v -run '^TestSoak$$' ./internal/app
SOAK ?= 60m

fuzz: ## every parser of what others wrote is fed for FUZZTIME (60s each), as a table; ONLY narrows it
	@FUZZTIME=$(FUZZTIME) ONLY='$(ONLY)' scripts/fuzz
FUZZTIME ?= 60s

mutants: ## changes the core packages in one place at a time and says which changes their fast tests miss; ONLY=budget narrows it
	cd tools && $(GO) run ./mutants -only '$(ONLY)'

pictures: build simserver ## pictures of every page in every size, theme and state, into docs/pictures; make sweep compares with them
	cd web && EDGEPOSTURE_BIN=$(CURDIR)/$(BIN)/edgeposture npm run --silent pictures

recording: build ## a minute of the demo as a film, into docs/tour.webm
	cd web && EDGEPOSTURE_BIN=$(CURDIR)/$(BIN)/edgeposture npm run --silent recording

# Lighthouse asks for one of its packages as "latest", which no lock can hold.
bench-web: build simserver ## the dashboard's figures, as a table
	cd tools/lighthouse && npm install --no-package-lock --ignore-scripts --no-audit --no-fund
	cd web && npm run --silent bench

bench: build ## time, allocations, requests and memory, as a table
	@scripts/bench

bench-large: ## findings and lists over 1,500,000 stored findings on both engines; builds them first (ten minutes or more)
	@scripts/bench large

peers-bench: build ## FlareInspect and this on the same simulated accounts, as a table in docs/benchmarks.md (clones FlareInspect)
	@GO=$(GO) scripts/peers-bench

lint: web-deps
	@test -z "$$(gofmt -l charts cmd internal jobs web/*.go)" || { gofmt -l charts cmd internal jobs web/*.go; exit 1; }
	$(GO) vet $(PKGS)
	cd charts && $(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod golangci-lint run
	$(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
	cd web && npm run --silent lint

docs: ## the documentation as a site with search, into site/ (npm once)
	cd tools/site && npm ci --ignore-scripts --no-audit --no-fund && npm run --silent build

GORELEASER := $(GO) run github.com/goreleaser/goreleaser/v2@v2.16.0
release: ## publishes the tag that is checked out; for CI (RELEASE_NOTES names a file)
	$(GORELEASER) release --clean --release-notes $(RELEASE_NOTES)

release-dry-run: web-deps ## all that a release would publish, into dist/, and a look into it (builds goreleaser once, ten minutes)
	$(GORELEASER) release --snapshot --clean --skip=sign
	cd tools && $(GO) test -count=1 -v ./release

vuln: ## known vulnerabilities in reach (asks the Go vulnerability database)
	$(GO) tool -modfile=tools/go.mod govulncheck $(PKGS)

clean:
	rm -rf $(BIN) web/node_modules
	find web/dist -mindepth 1 ! -name .keep -delete
