"""For whoever keeps a gateway running: health, metrics, systemd.

Nothing in the gateway needs this package to work; `watch.py` puts its parts together.
"""
