"""The outputs of sparecores-inspector, which measures machine types: its tasks redis and pgbench."""

from submissions.ingest.parsers.sparecores import pgbench, redis

PARSERS = (redis.PARSER, pgbench.PARSER)
