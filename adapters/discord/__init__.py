"""Discord as a platform."""
