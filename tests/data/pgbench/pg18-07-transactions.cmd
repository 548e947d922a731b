pgbench -N -t 500 -c 4 -b select-only@2 -b tpcb-like@1   # PostgreSQL 18's pgbench, server 15.18; stdout and stderr in one file
