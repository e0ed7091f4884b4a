"""The YAML file as typed settings."""
