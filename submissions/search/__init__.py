"""Find results, databases, workloads, machine prices and pages by words."""
