"""Finding the highest rate that keeps a latency limit: which step comes next, and when the search ends. Pure."""
