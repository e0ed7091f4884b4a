"""The host: everything that touches the world on behalf of the agents."""
