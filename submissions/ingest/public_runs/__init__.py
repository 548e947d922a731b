"""Benchmark runs that others published with their logs, and that come with the site: data/public_runs."""
