"""`python -m benchmarks [--json FILE] [--only NAME] [--build]`: logs go to stderr."""

import sys

import structlog

from benchmarks import main

structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
sys.exit(main())
