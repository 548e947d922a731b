"""A cloud on one machine: EC2 and GCE APIs whose instances are real hosts, and the faults of a real cloud."""
