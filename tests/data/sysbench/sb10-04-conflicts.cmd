sysbench --db-driver=pgsql --pgsql-db=sbtest --tables=1 --table-size=100 --threads=16 --time=5 --report-interval=1 --percentile=99 oltp_write_only run
