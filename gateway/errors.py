"""The root of the gateway's errors; each package of it keeps its own branch in its `errors.py`.

GatewayError
├── runtime.errors.RuntimeFailure   the Wasm artefact or an agent
├── llm.errors.ModelError           a model call
├── mcp.errors.McpFailure           an MCP server
├── store.errors.StoreError         the database
├── workspace.errors.WorkspaceError a path in a chat's folder
├── web.errors.WebError             the web
└── StartupError                    the gateway can't start: one sentence for the administrator
"""


class GatewayError(Exception):
    """Base of the gateway's own errors."""


class StartupError(GatewayError):
    """The gateway can't start; the text is one sentence that says what to do."""
