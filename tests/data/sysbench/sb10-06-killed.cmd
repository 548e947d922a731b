sysbench --db-driver=pgsql --pgsql-db=sbtest --tables=2 --table-size=5000 --threads=4 --time=60 --report-interval=2 oltp_read_write run    # kill -9 after 7 s
