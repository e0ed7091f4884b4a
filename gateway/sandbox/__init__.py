"""Where programs of a model run: Python inside WebAssembly, one instance for each run.

`base` is what others see of it, `engine` gives each program its thread and its place, `interpreter`
its instance; `run` is one run with its limits.
"""
