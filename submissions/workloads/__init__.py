"""One workload: its selector, its facts, its spread, who leads it."""
