stress -d 127.0.0.1 -p 9162 -n 4000 -t 8 -i 1 -o INSERT -e ONE -K 1 -k (org.apache.cassandra.stress.Stress of apache-cassandra-1.2.8-bin.tar.gz, JDK 17)
# exit=0
