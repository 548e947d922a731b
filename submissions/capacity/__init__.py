"""How many nodes: what was measured at several sizes, and what a target needs."""
