"""What stands between a request and its view."""
