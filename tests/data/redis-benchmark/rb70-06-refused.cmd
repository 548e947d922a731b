redis-benchmark -p 56378 -n 100 -t set
