stress mixed ratio(write=1,read=3) n=10000 no-warmup -pop seq=1..5000 -mode thrift -rate threads=8 -node 127.0.0.1 -port thrift=9161 (org.apache.cassandra.stress.Stress of apache-cassandra-2.2.6-bin.tar.gz, JDK 17)
# exit=0
