"""`python -m benchmarks [--json FILE] [--only NAME] [--build]`."""

import sys

from benchmarks import main

sys.exit(main())
