# What a developer of tracetax needs; `make help` lists it.
.DEFAULT_GOAL := help
GO      ?= go
FRESH   ?=# -count=1: no test that starts, listens or reads a clock is taken from an earlier run
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LINT    := $(GO) tool -modfile=tools/go.mod staticcheck

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## bin/tracetax
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-X github.com/tracetax/tracetax/internal/build.source=$(VERSION)" -o bin/tracetax ./cmd/tracetax

setup: ## install what the tests need and this machine lacks (Debian packages)
	scripts/setup

test: setup lint ## all tests but the long ones and the simulations, with vet and lint, and the race detector where things happen at the same time
	scripts/test $(FRESH)

e2e: setup ## the long tests, one of each family (real services, real faults), and the simulations
	scripts/e2e

e2e-all: setup ## every long test, and the simulations at their full length
	TRACETAX_E2E=all scripts/e2e

lint: ## format, vet, staticcheck
	@test -z "$$(gofmt -l cmd internal lab e2e bench schemas scripts services workloads *.go)" || { echo "not formatted with gofmt:"; gofmt -l cmd internal lab e2e bench schemas scripts services workloads *.go; exit 1; }
	$(GO) vet ./...
	$(LINT) ./...

cross: ## build for the other platforms: for macOS what reads and compares results
	GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/tracetax
	GOOS=linux GOARCH=arm64 $(GO) build -o /dev/null ./cmd/tracetax

release: ## dist/, what a release has, without signature; the first time minutes (docs/releasing.md)
	scripts/release

release-check: ## make the release in two folders, and compare all bytes
	scripts/release check

bench-load: ## the load generator beside wrk and oha (minutes; installs both)
	scripts/bench-load

bench-sink: ## the sink beside the OpenTelemetry Collector (minutes; builds it)
	scripts/bench-sink

golden: ## rewrite the golden files of the tests
	$(GO) test ./internal/config ./internal/report ./internal/cli ./internal/analysis ./lab/graphs ./lab/study/view ./lab/study/replicate -update

plots: ## docs/images/*.svg, from the tables in docs/studies
	$(GO) run ./lab/study/plots

schemas: ## schemas/*.json, from the types and their comments
	$(GO) test ./schemas -run Schemas -update

house: ## testdata/house.txt, the size of each package: downwards, or with REASON='…' upwards
	$(GO) test . -run '^TestHouse$$' -update-house -reason "$(REASON)"

fuzz: ## every fuzz test for FUZZTIME (10s)
	scripts/fuzz

charts: ## internal/report/page/assets/charts.js, from web/
	cd web && npm ci && npm run build

locks: ## the files that pin packages: Python, npm, Maven (needs uv 0.13, npm, mvn)
	scripts/locks

.PHONY: help build setup test e2e e2e-all lint cross release release-check bench-load bench-sink golden plots schemas house fuzz charts locks
