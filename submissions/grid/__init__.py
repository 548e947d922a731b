"""Percent differences of a variant over two parameters."""
