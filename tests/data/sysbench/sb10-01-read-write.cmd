sysbench --db-driver=pgsql --pgsql-db=sbtest --tables=2 --table-size=5000 --threads=4 --time=12 --report-interval=3 oltp_read_write run
