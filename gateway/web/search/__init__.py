"""Searching the web, through one of several services; `engine.py` says what one is."""
