pgbench -f hot.sql -c 8 -j 2 -T 5   # PostgreSQL 18's pgbench, server 15.18; stdout and stderr in one file
