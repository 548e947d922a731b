stress -d 127.0.0.1 -p 9161 -n 30000 -t 8 -i 1 -o INSERT -e ONE (org.apache.cassandra.stress.Stress of apache-cassandra-1.1.0-bin.tar.gz, JDK 17)
# exit=0
