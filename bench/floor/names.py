"""What the floor and those that prepare its database call alike."""

TABLE = "bench_floor"
FLOOR = "bench floor"  # of its connections
