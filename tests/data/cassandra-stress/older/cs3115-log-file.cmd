stress write n=10000 cl=ONE no-warmup -rate threads=8 -log file=out/cs3115-log-file.txt -mode thrift -node 127.0.0.1 -port thrift=9161 (org.apache.cassandra.stress.Stress of apache-cassandra-3.11.5-bin.tar.gz, JDK 17)
# exit=0
