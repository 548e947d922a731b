"""Cassandra for this machine: fetched once by a command, kept under the site's tools, used by runs on `local`."""
