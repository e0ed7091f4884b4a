"""Where agents run: warm ones, within limits, each by itself.

base       the narrow waist; `engine` and `instance` are Wasm, `native` is plain Python
pool       warm agents, lent out; `places` says who gets one, who waits, who is put to sleep
artefact   where the compiled agent is, and whether it is the right one
"""
