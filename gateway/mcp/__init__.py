"""MCP servers: programs and addresses that bring tools of their own, by the official SDK.

`server.py` is the life of one; `servers.py` has all of them. What they say is untrusted, and so is
what they do: each is bounded in size, rate and time, and none can hold the gateway up. Their tools
become the gateway's in `gateway/tools/mcp.py`.
"""
