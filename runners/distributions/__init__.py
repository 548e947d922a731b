"""Cassandra for this machine: fetched once by a command into the site's tools, for runs on `local`."""
