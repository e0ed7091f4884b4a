"""The web: fetching what a model names without being led astray, searching, and reading pages.

`fetch` is what other parts of the gateway use. Tools over it are in `gateway/tools/web.py`.
"""
