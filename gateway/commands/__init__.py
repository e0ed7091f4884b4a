"""What starts with a slash: one file per family (`families` lists them), and the `table` of all."""
