stress write n=20000 no-warmup -rate threads=8 -mode thrift -node 127.0.0.1 -port thrift=9161 (org.apache.cassandra.stress.Stress of apache-cassandra-3.11.5-bin.tar.gz, JDK 17) -Duser.language=fr -Duser.country=FR
# exit=0
