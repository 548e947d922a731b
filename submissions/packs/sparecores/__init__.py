"""Redis and PostgreSQL on machine types of eight clouds, measured by Spare Cores: data/packs/sparecores."""
