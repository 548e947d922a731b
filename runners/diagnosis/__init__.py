"""What a run's hosts say about a failure: their logs, kept before the machines go, and the cause in them."""
