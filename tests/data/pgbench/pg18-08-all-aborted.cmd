pgbench -f bad.sql -c 2 -t 10   # PostgreSQL 18's pgbench, server 15.18; stdout and stderr in one file
