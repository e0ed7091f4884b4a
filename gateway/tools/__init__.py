"""Tools that the host runs for agents. `tool` says what one is, `families` lists them.

Each family has a file. `policy` says who may use which, `toolbox` runs a call within its limits.
"""
