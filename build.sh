#!/usr/bin/env bash
# The one way in: set up, build, run, test, measure. `./build.sh help` lists what it can do.
# Works on Linux and macOS with nothing but Python 3.11; keeps all it makes in .venv, build, dist.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly venv=.venv
export PIP_DISABLE_PIP_VERSION_CHECK=1

usage() {
  cat <<'TEXT'
./build.sh run [options]     set up, build the agent, and start the gateway
./build.sh run init|check|…  the same, and another command of hermes-gateway
./build.sh build [--force]   set up and build the agent: dist/wasm (nothing to do if up to date)
./build.sh test [options]    set up with the test tools, build, and run all checks; options go to pytest
./build.sh bench [options]   set up, build, and measure; options go to `python -m benchmarks`
./build.sh clean             remove what this script made: .venv, build, dist, caches (never data)
TEXT
}

heading() { printf '\n== %s\n' "$*" >&2; }

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# 3.11 first: the agent is compiled with it, and so one Python serves for both.
find_python() {
  local name
  for name in python3.11 python3.12 python3.13 python3.14 python3; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      command -v "$name"
      return
    fi
  done
  fail "Python 3.11 is needed, and none is on PATH (Debian: apt install python3.11-venv, macOS: brew install python@3.11)."
}

# setup run|test: the environment with what that needs, installed once per pyproject.toml.
setup() {
  local wanted=$1 extras python
  case $wanted in
    run) extras=telegram,discord,tools ;;
    test) extras=telegram,discord,tools,test,build ;;
  esac
  # What is installed for tests is enough to run.
  if cmp -s pyproject.toml "$venv/installed-test.toml"; then return; fi
  if [ "$wanted" = run ] && cmp -s pyproject.toml "$venv/installed-run.toml"; then return; fi

  heading "setting up $venv"
  if ! [ -x "$venv/bin/python" ]; then
    python=$(find_python)
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
      fail "$python has no working venv module; on Debian: apt install python3-venv (or python3.11-venv)."
    "$python" -m venv "$venv"
  fi
  "$venv/bin/python" -m pip install --quiet --editable ".[$extras]" ||
    fail "The project's dependencies could not be installed; is there a way to PyPI?"
  cp pyproject.toml "$venv/installed-$wanted.toml"
}

# A server in TypeScript that tests of MCP speak with; without npm they are skipped.
everything() {
  local folder=tests/fakes/everything
  if ! command -v npm >/dev/null; then
    printf '%s\n' "npm is not installed: the tests with the MCP server in TypeScript are skipped." >&2
  elif ! cmp -s "$folder/package-lock.json" "$folder/node_modules/installed.json"; then
    heading "installing the MCP server for the tests"
    if npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error; then
      cp "$folder/package-lock.json" "$folder/node_modules/installed.json"
    else
      printf '%s\n' "npm could not install it: the tests with it are skipped." >&2
    fi
  fi
}

build() {
  heading "building the agent"
  "$venv/bin/python" -m wasm_build "$@"
}

failed=()
check() {
  local name=$1
  shift
  heading "$name"
  "$@" || failed+=("$name")
}

run_checks() {
  check "format" "$venv/bin/ruff" format --check .
  check "lint" "$venv/bin/ruff" check .
  check "types" "$venv/bin/mypy"
  check "who imports whom" "$venv/bin/lint-imports"
  check "tests" "$venv/bin/python" -m pytest -n 2 "$@"
  # ${failed[*]-}: an empty array counts as unset in macOS's bash 3.2.
  if [ -n "${failed[*]-}" ]; then
    heading "failed: $(IFS=,; printf '%s' "${failed[*]}" | sed 's/,/, /g')"
    exit 1
  fi
  heading "all checks passed"
}

command=${1:-help}
[ $# -eq 0 ] || shift
case $command in
  run)
    setup run
    build
    # `run` alone, or with options, serves; a word is another command: `./build.sh run check`.
    case ${1-} in "" | -*) set -- run "$@" ;; esac
    HERMES_COMMAND="./build.sh run" exec "$venv/bin/hermes-gateway" "$@"
    ;;
  build)
    setup run
    build "$@"
    ;;
  test)
    setup test
    everything
    build
    run_checks "$@"
    ;;
  bench)
    setup run
    build
    exec "$venv/bin/python" -m benchmarks "$@"
    ;;
  clean)
    rm -rf "$venv" build dist tests/fakes/everything/node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
    find . -name __pycache__ -type d -prune -exec rm -rf {} +
    ;;
  help | -h | --help) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
