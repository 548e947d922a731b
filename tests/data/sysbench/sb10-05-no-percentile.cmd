sysbench --db-driver=pgsql --pgsql-db=sbtest --tables=1 --table-size=100 --threads=2 --events=2000 --time=0 --percentile=0 oltp_insert run
