go-ycsb run basic -p basicdb.verbose=false -p basicdb.simulatedelay=2 -p workload=core -p recordcount=1000 -p operationcount=5000 -p threadcount=4 -p outputstyle=table
