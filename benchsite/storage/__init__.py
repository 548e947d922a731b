"""Stored files: written whole or not at all, named by their hash, checked against the rows that point to them."""
