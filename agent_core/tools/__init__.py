"""The tools that the agent carries itself: their schemas, and what they do to a session."""
