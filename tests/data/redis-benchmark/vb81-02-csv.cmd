valkey-benchmark -n 20000 -c 10 -t set,mset --csv
