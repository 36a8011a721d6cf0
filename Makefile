# Everything here is a go command that can be typed as well; README.md says more.
# Needs GNU make, bash and Go; the servers written in Java need a JDK 17 and Maven.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BENCHMARKS := ./kv ./batch ./coord

# The tables at the end have a column per system, and of all numbers in the file
# those that are looked at first. CQL and coordination stores have different rows.
UNITS  := .unit:(ops/s OR p50-ns OR p99-ns OR read-p50-ns OR read-p99-ns OR write-p50-ns OR write-p99-ns)
CQL    := /system:(cassandra OR yugabyte OR scylla)
ROWS   := .name /consistency /batch /partitions /clients@num /rate@num
TABLES := -table pkg -ignore .config

help: ## help: show this
	@sed -n 's/^[a-z-]*:.*## //p' $(MAKEFILE_LIST) | awk -F ': ' '{ printf "make %-32s %s\n", $$1, $$2 }'

# An overview in minutes on two cores: two numbers of clients, a tenth of NDBench's
# rates, a second each once the servers are warm. What the environment says wins.
bench: export COORD_CLIENTS ?= 1,100
bench: export KV_RATE ?= 0.1
bench: BENCH ?= .
bench: BENCHTIME ?= 1s
bench: COUNT ?= 1
bench: ## bench: measure all workloads on local servers (BENCH=. BENCHTIME=1s COUNT=1)
	@file=results/$$(date -u +%Y%m%dT%H%M%SZ).txt; status=0; mkdir -p $${file%.txt}; \
	go test $(BENCHMARKS) -run '^$$' -bench '$(BENCH)' -benchtime=$(BENCHTIME) -count=$(COUNT) -artifacts -outputdir=$$PWD/$${file%.txt} | tee -i $$file || status=$$?; \
	for systems in '$(CQL)' '-$(CQL)'; do \
		go tool benchstat $(TABLES) -col /system -row '$(ROWS)' -filter "$$systems AND $(UNITS)" $$file; \
	done; \
	echo "results: $$file"; exit $$status

test: ## test: run all tests, against real servers where they can be had
	@go test -json -p 1 -timeout 60m ./... | go run ./internal/cmd/testlog

check: ## check: formatting, go.mod, vet, staticcheck, house rules
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "gofmt -w $$unformatted" >&2; exit 1; }
	go mod tidy -diff
	go vet ./...
	go tool staticcheck ./...
	go test -short ./internal/policy

race: ## race: tests that need no servers, under the race detector
	go test -race -short ./...

smoke: export COORD_CLIENTS ?= 1,10
smoke: ## smoke: every benchmark for a few operations
	go test $(BENCHMARKS) -short -run '^$$' -bench . -benchtime=100x

servers: ## servers: get and build all servers, without measuring anything
	go test ./batch -short -run '^$$' -bench . -benchtime=64x

images: ## images: build container images of the servers, and print the settings that name them
	@go run ./internal/cmd/images

# The tests of servers in containers, wherever they are, and a benchmark of each
# system. An image that is named and can't be had is an error, never a skip.
containers: export BENCH_SERVERS := container
containers: export COORD_CLIENTS ?= 10
containers: ## containers: test the container source on images as of make images, and measure each system on one and three nodes
	@images=$$(go run ./internal/cmd/images); export $$images; \
	unset ETCD_VERSION ZOOKEEPER_VERSION CONSUL_VERSION CASSANDRA_VERSION; \
	go test -json -p 1 -timeout 30m ./internal/... -run 'Container|KeeperIsSwept|EngineIsGone|ImageContracts|ReadmeCommandsRun/BENCH_SERVERS=container' | go run ./internal/cmd/testlog; \
	for nodes in 1 3; do \
		BENCH_NODES=$$nodes go test ./coord -short -run '^$$' -bench Put -benchtime=100x; \
		BENCH_NODES=$$nodes go test ./kv -short -run '^$$' -bench Write/system=cassandra -benchtime=100x; \
	done

overhead: PAIRS ?= 7
overhead: ## overhead: what the engine costs, alone and beside bare loops on the same drivers (PAIRS=7)
	go test ./internal/load -run '^$$' -bench 'Overhead|Lag' -benchtime=10s
	KVBENCH_OVERHEAD=$(PAIRS) go test ./internal/suite -run '^$$' -bench Overhead -benchtime=5s -v

memory: ## memory: resident memory while the engine runs at full speed for ten minutes
	go test ./internal/load -run '^$$' -bench Memory -benchtime=10m

compare: ## compare OLD=file NEW=file: compare two result files
	@for file in '$(OLD)' '$(NEW)'; do \
		grep -qs '^Benchmark.* ops/s' "$$file" || { echo "compare: \"$$file\" holds no results; want make compare OLD=file NEW=file" >&2; exit 2; }; \
	done
	@diff <(grep '^[a-z][^ ]*: ' '$(OLD)' | sort -u) <(grep '^[a-z][^ ]*: ' '$(NEW)' | sort -u) || true
	@go tool benchstat $(TABLES) -filter '$(UNITS)' '$(OLD)' '$(NEW)'

ab: BY ?= version
ab: BENCH ?= .
ab: BENCHTIME ?= 10s
ab: COUNT ?= 10
ab: SEED ?= 1
ab: ## ab SYSTEM=etcd OLD=3.5.21 NEW=3.7.3: compare two by turns (BY=version|image|endpoints|commit BENCH= BENCHTIME= COUNT= SEED=)
	@go tool benchab -system '$(SYSTEM)' -by '$(BY)' -old '$(OLD)' -new '$(NEW)' -bench '$(BENCH)' -benchtime $(BENCHTIME) -count $(COUNT) -seed $(SEED)

report: ## report RESULTS=file: a page with charts of result files, and of the artifacts beside them
	@go tool benchreport $(RESULTS)

noise: BENCH ?= .
noise: BENCHTIME ?= 10s
noise: COUNT ?= 10
noise: ## noise SYSTEM=etcd VERSION=3.7.3: compare a version with itself, and print how much repetitions scatter and what would be found (BENCH= BENCHTIME= COUNT=)
	@go tool benchab -system '$(SYSTEM)' -old '$(VERSION)' -new '$(VERSION)' -bench '$(BENCH)' -benchtime $(BENCHTIME) -count $(COUNT) || [ $$? = 1 ]

versus-published: ## versus-published RESULTS=file: put a run beside the published figures, and say how the conditions differ
	@[ -s '$(RESULTS)' ] || { echo "versus-published: \"$(RESULTS)\" holds no results; want make versus-published RESULTS=file" >&2; exit 2; }
	@for file in testdata/published/*.txt; do \
		echo "== $$file"; \
		diff <(grep '^[a-z][^ ]*: ' $$file | sort -u) <(grep '^[a-z][^ ]*: ' '$(RESULTS)' | sort -u) | sed -n 's/^</published /p; s/^>/here      /p' || true; \
		go tool benchstat -ignore .config -table pkg -row '.name /system /batch /partitions /clients /rate' published=$$file here='$(RESULTS)'; \
	done

readme: ## readme: rewrite the parts of README.md that are made from the code
	go test ./internal/policy -run TestReadmeIsUpToDate -update

clean: ## clean: remove what tests and benchmarks leave, except results/ and built servers
	rm -rf _artifacts */_artifacts *.test *.out

.PHONY: help bench test check race smoke servers images containers overhead memory compare ab report versus-published readme clean
