pgbench -f read.sql@9 -f write.sql -R 200 -c 2 -T 5 -r   # PostgreSQL 15's pgbench, server 15.18; stdout and stderr in one file
