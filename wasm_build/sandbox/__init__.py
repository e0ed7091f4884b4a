"""The Python in which agents run code of their own: built here, run by `gateway/sandbox`.

`build.py` makes it, with CPython's library from the toolchain and the C files beside it; `boot.py`
and `hermes.py` run inside it; `freeze.py` runs in the toolchain's Python.
"""
