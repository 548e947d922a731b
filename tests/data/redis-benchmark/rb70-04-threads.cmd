redis-benchmark -n 40000 -c 30 -P 8 -d 100 -r 1000 --threads 2 -t get
