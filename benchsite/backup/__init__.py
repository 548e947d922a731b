"""Backup and restore: database, files and secret key of one moment, in a folder that belongs to the operator alone."""
