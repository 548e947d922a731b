pgbench -S -R 300 -L 20 -c 4 -j 2 -T 6 -P 2   # PostgreSQL 18's pgbench, server 15.18; stdout and stderr in one file
