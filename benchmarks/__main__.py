"""`python -m benchmarks [--json FILE] [--only NAME] [--build]`: figures on stdout, logs on stderr."""

import sys

import structlog

from benchmarks import main

structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
sys.exit(main())
