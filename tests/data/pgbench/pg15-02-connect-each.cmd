pgbench -C -S -c 2 -T 5   # PostgreSQL 15's pgbench, server 15.18; stdout and stderr in one file
