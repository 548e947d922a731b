redis-benchmark -n 20000 -c 20 -t set,get,lpush --csv
