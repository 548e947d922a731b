"""Packs: measurements of others that come with the site, each in a folder of data/packs with its licence."""
