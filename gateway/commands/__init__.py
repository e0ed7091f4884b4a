"""What starts with a slash: one file per family, and the table that holds them all."""
