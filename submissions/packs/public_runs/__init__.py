"""Benchmark runs that others published with their logs: data/packs/public_runs."""
