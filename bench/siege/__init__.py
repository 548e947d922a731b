"""A site under attack: slow clients, a crowd, costly addresses, a lock that readers try to push out."""
