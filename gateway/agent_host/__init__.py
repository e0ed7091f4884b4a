"""`hermes-gateway agent`: a small host for one agent, without a gateway around it.

It is the published host runner's job, and an example of what a host has to do. `process.py` runs
an agent as a child process, `files.py` keeps its notes, `host.py` answers what it asks for.
"""
