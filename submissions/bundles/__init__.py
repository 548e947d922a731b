"""A result as one signed archive: what was stored, with a statement of every file's sum that the site has signed."""
