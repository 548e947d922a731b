stress write n=5000 no-warmup -rate threads=16 fixed=1000/s -mode thrift -node 127.0.0.1 -port thrift=9161 (org.apache.cassandra.stress.Stress of apache-cassandra-3.11.5-bin.tar.gz, JDK 17)
# exit=0
