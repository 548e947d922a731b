stress mixed ratio(write=1,read=3) n=8000 cl=ONE no-warmup -pop seq=1..5000 -rate threads=8 -graph file=out/cs3115-graph-mixed.html title=mix revision=a -mode thrift -node 127.0.0.1 -port thrift=9161 (org.apache.cassandra.stress.Stress of apache-cassandra-3.11.5-bin.tar.gz, JDK 17)
# exit=0
