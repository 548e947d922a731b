pgbench -N -c 4 -T 5 -R 20000 -L 1   # PostgreSQL 15's pgbench, server 15.18; stdout and stderr in one file
