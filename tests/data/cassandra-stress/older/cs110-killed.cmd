stress -d 127.0.0.1 -p 9161 -n 300000 -t 4 -i 1 -o INSERT (org.apache.cassandra.stress.Stress of apache-cassandra-1.1.0-bin.tar.gz, JDK 17)
# exit=124
