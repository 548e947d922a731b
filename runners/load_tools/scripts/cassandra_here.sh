#!/bin/sh
# Prepares a node on the machine that runs the whole cluster, from what is under tools/: nothing is installed, no root.
#   cassandra_here.sh VERSION JAVA_MAJOR ADDRESS    JAVA_MAJOR "" takes any. Safe to repeat
set -eu
export LC_ALL=C.UTF-8
name=apache-cassandra-$1
from=$PWD/tools/cassandra/$name

[ -x "$from/bin/cassandra" ] || { echo "this machine has no Cassandra $1: make cassandra VERSION=$1"; exit 1; }
[ -x tools/java/bin/java ] || { echo "this machine has no Java 11 or newer"; exit 1; }
java_home=$(readlink -f tools/java)
major=$("$java_home/bin/java" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1)
[ -z "$2" ] || [ "$major" = "$2" ] || { echo "the plan asks for Java $2, this machine has $major"; exit 1; }

python3 - "$3" <<'END'
import socket
import sys

for port in (9042, 7000):
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind((sys.argv[1], port))
            server.listen()
        except OSError as error:
            sys.exit(f"Cassandra cannot have port {port} of {sys.argv[1]}: {error.strerror}. Does another one run here?")
END

# The node's own scripts and settings; the rest stays where it is.
if [ ! -d "dist/$name" ]; then
  rm -rf dist/new && mkdir -p dist/new
  for part in "$from"/*; do
    case ${part##*/} in
      bin | conf) cp -R "$part" dist/new/ ;;
      data | logs) ;;
      *) ln -s "$part" dist/new/ ;;
    esac
  done
  mv dist/new "dist/$name"
fi
cp "$from/load-tool.version" .
mkdir -p data/0
echo "JAVA_HOME=$java_home" >host.env
