pgbench -c 4 -j 2 -T 6 -P 2   # PostgreSQL 16's pgbench, server 15.18; stdout and stderr in one file
