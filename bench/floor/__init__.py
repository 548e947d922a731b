"""The least that a page can cost: bare Django under the same web server, on the same database."""
