"""Models: which one is asked, what a call may cost, and how each API is spoken.

models     the way in: a chat's model, budgets, who stands in, the ledger of calls
provider   the narrow waist behind which APIs stand; `providers` is their table
openai     chat completions; `anthropic/` and `demo/` are the others
http       one call over HTTP; `sse`, `assembly` and `tool_calls` read what streams in
failures   what went wrong, from what a server said; `retry` and `fallback` decide what follows
"""
