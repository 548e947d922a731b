redis-benchmark -n 20000 -t set,get
