stress write n=1500 no-warmup -rate auto threads>=4 threads<=8 -graph file=out/cs3115-graph-auto.html title=auto revision=b -mode thrift -node 127.0.0.1 -port thrift=9161 (org.apache.cassandra.stress.Stress of apache-cassandra-3.11.5-bin.tar.gz, JDK 17)
# exit=0
