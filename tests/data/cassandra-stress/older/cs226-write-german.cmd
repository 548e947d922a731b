stress write n=10000 cl=ONE no-warmup -rate threads=8 -mode thrift -node 127.0.0.1 -port thrift=9161 (org.apache.cassandra.stress.Stress of apache-cassandra-2.2.6-bin.tar.gz, JDK 17) -Duser.language=de -Duser.country=DE
# exit=0
