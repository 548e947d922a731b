stress write n=20000 cl=ONE no-warmup -mode thrift -rate threads=8 -node 127.0.0.1 -port thrift=9161 (org.apache.cassandra.stress.Stress of apache-cassandra-2.2.6-bin.tar.gz, JDK 17)
# exit=0
