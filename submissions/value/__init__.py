"""What a dollar buys within one workload, at any prices."""
