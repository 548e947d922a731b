sysbench --db-driver=pgsql --pgsql-db=sbtest --tables=2 --table-size=5000 oltp_read_write prepare
