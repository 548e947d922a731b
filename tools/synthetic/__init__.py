"""Invented submissions for load tests and demonstrations: marked as such, never loaded by default."""
