# The two commands of the README, and what developers use. Everything sets itself up: a fresh machine needs Python >= 3.11 only.

PYTHON ?= python3

.PHONY: demo check test test-llm bench soak reference release format clean

demo: .venv/ready         ## the demo in a browser: no key, no account
	scripts/demo

check: .venv/ready        ## format, lint, layers, types: what can be known without running anything
	scripts/check

test: .venv/ready         ## every test that needs no model server, on each Python >= 3.11 found
	scripts/test

test-llm: .venv/ready     ## the tests against model servers: a real model, and fakes with faults
	scripts/test-llm

bench: .venv/ready        ## benchmarks, side by side in one run
	scripts/bench

soak: .venv/ready         ## long campaigns: people and kill -9 for half an hour, any bytes, takeovers, kill -9, failing disks, power loss
	scripts/soak

reference: .venv/ready  ## docs/reference, anew from the code
	scripts/reference

release: .venv/ready    ## what is uploaded: dist/, built twice and compared
	scripts/release

format: .venv/ready       ## let ruff rewrite what it can
	.venv/bin/ruff check --fix --quiet . ; .venv/bin/ruff format .

clean:
	rm -rf .venv .venv-* dist build

JS := $(shell find js -name node_modules -prune -o -type f -print)

.venv/ready: pyproject.toml requirements/dev.txt scripts/setup hatch_build.py $(JS)
	scripts/setup $(PYTHON) .venv
