"""The web: fetching what a model names without being led astray, searching, and reading pages.

web         what the gateway has of it; tools over it are in `gateway/tools/web.py`
fetch       what a URL leads to, within limits; `inflating` unpacks it
guard       where a URL may lead; `addresses` knows the public internet, `transport` connects there
firecrawl   the same by a service
process/    the process in which that happens, and which has pages read (`gateway/reading/`)
search/     search engines
"""
