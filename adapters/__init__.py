"""Platforms: their events in, our replies out. `base` is the narrow waist they share."""
