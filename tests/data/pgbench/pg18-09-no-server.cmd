pgbench -h /nonexistent -c 1 -t 1   # PostgreSQL 18's pgbench, server 15.18; stdout and stderr in one file
