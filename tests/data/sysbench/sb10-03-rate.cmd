sysbench --db-driver=pgsql --pgsql-db=sbtest --tables=2 --table-size=5000 --threads=8 --time=10 --rate=100 --report-interval=2 oltp_read_only run
