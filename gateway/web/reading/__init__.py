"""From what was fetched to a text that a model can read; always in processes of their own.

`texts` does the work, `worker` is the program that does it, `readers` keeps such programs ready.
"""
