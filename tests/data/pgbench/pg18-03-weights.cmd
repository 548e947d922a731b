pgbench -f read.sql@3 -f write.sql@1 -c 4 -j 2 -T 5 -P 1 -r   # PostgreSQL 18's pgbench, server 15.18; stdout and stderr in one file
