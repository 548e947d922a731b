stress mixed ratio(write=1,read=1) n=10000 no-warmup -pop seq=1..5000 -rate threads=8 -mode thrift -node 127.0.0.1 -port thrift=9161 (org.apache.cassandra.stress.Stress of apache-cassandra-3.11.5-bin.tar.gz, JDK 17) -Duser.language=de -Duser.country=DE
# exit=0
