"""Rows by the million: some thousand real ones, multiplied inside PostgreSQL."""
