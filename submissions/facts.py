"""Facts: each of them once."""
