redis-benchmark -n 10000 --precision 1 eval "return 1" 0
