"""Django's backend for PostgreSQL, with prepared statements where asked for, and a free check of connections."""
