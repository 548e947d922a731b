"""Everything public as files: what the columns mean, and how a dump is written."""
