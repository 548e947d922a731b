stress -d 127.0.0.1 -p 9199 -n 100 -t 2 (org.apache.cassandra.stress.Stress of apache-cassandra-1.1.0-bin.tar.gz, JDK 17)
# exit=0
