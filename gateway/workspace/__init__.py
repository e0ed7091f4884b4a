"""A folder of its own for each chat: what people send, what tools write, what is to be shown."""
