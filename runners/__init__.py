"""Provisions clusters and runs the load tool; imports submissions, never the reverse."""
