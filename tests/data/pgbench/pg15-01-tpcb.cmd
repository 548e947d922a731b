pgbench -c 4 -j 2 -T 6   # PostgreSQL 15's pgbench, server 15.18; stdout and stderr in one file
