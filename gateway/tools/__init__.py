"""Tools that the host runs for agents. `toolbox` says what one is; each gets its own file."""
