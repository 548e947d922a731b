stress -d 127.0.0.1 -p 9161 -n 20000 -t 8 -i 1 -o INSERT -e ONE (org.apache.cassandra.stress.Stress of apache-cassandra-2.0.7-bin.tar.gz, JDK 17) -Duser.language=de -Duser.country=DE
# exit=0
