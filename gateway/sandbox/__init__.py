"""Where programs of a model run: Python inside WebAssembly, one instance for each run.

`base` is what others see of it, `engine` makes it; `run` is one run with its limits.
"""
