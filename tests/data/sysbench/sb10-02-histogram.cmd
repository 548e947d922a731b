sysbench --db-driver=pgsql --pgsql-db=sbtest --tables=2 --table-size=5000 --threads=4 --time=5 --percentile=99 --histogram oltp_point_select run
