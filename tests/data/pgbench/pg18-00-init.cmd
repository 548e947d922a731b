pgbench -i -s 2 -q   # PostgreSQL 18's pgbench, server 15.18; stdout and stderr in one file
