"""One workload on equal clusters over time."""
