pgbench -S -c 8 -j 2 -T 6 -M prepared -P 2 -r   # PostgreSQL 18's pgbench, server 15.18; stdout and stderr in one file
