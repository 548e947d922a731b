"""Moderation: reports, the queue, decisions with a reason, and their public log."""
