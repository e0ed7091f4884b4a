"""The program that is compiled: serves lines on stdin and stdout, or stops to be a snapshot."""

# nuitka-project: --user-plugin={MAIN_DIRECTORY}/stdlib_modules.py
# nuitka-project: --python-flag=no_docstrings
# nuitka-project: --python-flag=no_site
# nuitka-project: --python-flag=static_hashes

import gc
import os
import sys

from agent_core.__main__ import serve, step, warm_up

__all__ = ["step"]  # native/entry.c finds it in __main__

if os.environ.get("HERMES_SNAPSHOT"):
    warm_up()
    gc.collect()
    gc.freeze()
    os._exit(0)

code = serve(sys.stdin.buffer, sys.stdout.buffer)
sys.stdout.flush()
# Without this Python takes a quarter of a second to take itself apart, for nobody's benefit.
os._exit(code)
