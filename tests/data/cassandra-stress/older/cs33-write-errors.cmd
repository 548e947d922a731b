stress write n=10000 cl=QUORUM no-warmup -errors ignore retries=0 -mode thrift -rate threads=8 -node 127.0.0.1 -port thrift=9162 (org.apache.cassandra.stress.Stress of apache-cassandra-3.3-bin.tar.gz, JDK 17)
# exit=0
