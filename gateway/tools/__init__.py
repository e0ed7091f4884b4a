"""Tools that the host runs for agents. `toolbox` says what a tool is; each gets a file of its own."""
