sysbench --db-driver=pgsql --pgsql-db=sbtest --pgsql-port=55439 oltp_read_only run
