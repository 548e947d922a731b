"""Amazon EC2 as a provider."""
