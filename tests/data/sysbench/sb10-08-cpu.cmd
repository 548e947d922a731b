sysbench cpu --time=2 run
