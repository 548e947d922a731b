#!/bin/sh
# Cassandra on a host, from its own tarball. In the host's folder of the run, with host.env written by prepare.sh:
#   cassandra.sh install URL VERSION HDR_URL    download with checksum, unpack
#   cassandra.sh share ADDRESS PORT SECONDS     serve what was downloaded to other hosts, whose PEER is ADDRESS:PORT
#   cassandra.sh start VERSION ADDRESS SECONDS  configure, start unless it runs so, wait until it takes CQL
#   cassandra.sh await VERSION NODES SECONDS    until so many nodes are up and normal
#   cassandra.sh settle VERSION SECONDS         flush, and until no compaction waits
set -eu
export LC_ALL=C.UTF-8
folder=$PWD
# shellcheck disable=SC1091
. ./host.env
export JAVA_HOME PATH="$JAVA_HOME/bin:$PATH"
USER_NAME=cassandra
RETRY_SECONDS=2

# Without root: the whole cluster on one machine, every node an ordinary process of the account that we are
own=
[ "$(id -u)" -eq 0 ] || { own=yes && USER_NAME=$(id -u); }

home() { echo "$folder/dist/apache-cassandra-$1"; }

install() { # URL VERSION HDR_URL
  [ ! -x "$(home "$2")/tools/bin/cassandra-stress" ] || return 0
  python3 bin/fetch.py "$1" "dist/apache-cassandra-$2-bin.tar.gz" "${PEER:-}"
  rm -rf "dist/new-$2" && mkdir -p "dist/new-$2"
  tar -xzf "dist/apache-cassandra-$2-bin.tar.gz" -C "dist/new-$2"
  [ -x "dist/new-$2/apache-cassandra-$2/bin/cassandra" ] || { echo "there is no bin/cassandra in $1"; exit 1; }
  renew_histograms "dist/new-$2/apache-cassandra-$2" "$3"
  rm -rf "$(home "$2")"
  mv "dist/new-$2/apache-cassandra-$2" "$(home "$2")"
  rmdir "dist/new-$2"
}

# HdrHistogram before 2.1.10 uses what Java 11 has no more: the load tool's reporting thread dies in the first second
# of a trial with hdrfile, and it ends with the figures of that second, END and exit status 0. 4.x brings such a one.
renew_histograms() { # FOLDER HDR_URL
  find "$1" -name 'HdrHistogram-2.1.[0-9].jar' >dist/old-histograms
  [ -s dist/old-histograms ] || return 0
  ! "$JAVA_HOME/bin/java" -version 2>&1 | grep -q 'version "1\.' || return 0
  if [ "$2" = - ]; then
    echo "this cassandra-stress needs a newer HdrHistogram on Java 11 and newer: set MAVEN_MIRROR, or choose JDK 8"
    exit 1
  fi
  python3 bin/fetch.py "$2" "dist/${2##*/}" "${PEER:-}"
  while read -r old; do
    cp "dist/${2##*/}" "${old%/*}/" && rm "$old"
  done <dist/old-histograms
}

share() { # ADDRESS PORT SECONDS
  stop_sharing
  setsid timeout "$3" python3 -m http.server --bind "$1" --directory dist "$2" </dev/null >share.log 2>&1 &
  echo $! >share.pid
}

stop_sharing() {
  [ ! -s share.pid ] || kill "$(cat share.pid)" 2>/dev/null || true
  rm -f share.pid
}

processes() { # this host's node, or its start script, which needs seconds on a busy machine
  for pid in $(cat launch.pid 2>/dev/null) $(pgrep -u "$USER_NAME" -f org.apache.cassandra.service.CassandraDaemon); do
    [ -n "$own" ] || { echo "$pid" && continue; }
    case $(readlink "/proc/$pid/cwd") in "$(pwd -P)" | "$(pwd -P)"/*) echo "$pid" ;; esac
  done
}

runs() { [ -n "$(processes)" ]; }

# Another host has another's place in the ring since this node was started: as if it had never been.
forget() {
  [ ! -d /run/systemd/system ] || systemctl stop benchsite-cassandra.service 2>/dev/null || true
  while pids=$(processes) && [ -n "$pids" ]; do
    # shellcheck disable=SC2086
    kill -9 $pids 2>/dev/null || true
    sleep 1
  done
  rm -rf data/*/cassandra
  rm -f launched.json
}

# The JDK's fix of 2022 made `nodetool` of older versions refuse its own address; the property undoes it. A program of a
# second needs no second compiler, which would take the processors from the database.
nodetool() {
  version=$1
  shift
  set -- ${own:+-p "$(cat jmx.port)"} "$@"
  JVM_OPTS=-XX:TieredStopAtLevel=1 timeout 600 "$(home "$version")/bin/nodetool" -Dcom.sun.jndi.rmiURLParsing=legacy "$@"
}

takes_cql() { python3 -c 'import socket, sys; socket.create_connection((sys.argv[1], 9042), 5).close()' "$1" 2>/dev/null; }

say_why() { # what the log says when it does not start
  echo "$1"
  tail -n 30 log/stdout 2>/dev/null || true
  grep -E 'ERROR|FATAL|Exception' log/system.log 2>/dev/null | tail -n 10 || true
}

start() { # VERSION ADDRESS SECONDS
  stop_sharing # nothing else works on a host that is measured
  [ -n "$own" ] || id "$USER_NAME" >/dev/null 2>&1 || useradd --system --user-group --no-create-home --shell /usr/sbin/nologin "$USER_NAME"
  [ ! -e launched.json ] || cmp -s overrides.json launched.json || forget
  if ! runs; then
    cp overrides.json launched.json
    python3 bin/configure.py "$(home "$1")/conf" overrides.json
    mkdir -p log "$(home "$1")/logs" # garbage collection's log goes to the latter, whatever the version is told
    for disk in data/*; do mkdir -p "$disk/cassandra"; done
    [ -n "$own" ] || chown -R "$USER_NAME:" log data/*/cassandra "$(home "$1")/conf" "$(home "$1")/logs"
    launch "$1"
  fi
  deadline=$(($(date +%s) + $3))
  until takes_cql "$2"; do
    # a moment between the launch and the process, and none when it has ended
    sleep "$RETRY_SECONDS"
    runs || { sleep "$RETRY_SECONDS"; runs || { say_why "Cassandra ended while starting"; exit 1; }; }
    [ "$(date +%s)" -lt "$deadline" ] || { say_why "Cassandra takes no CQL after $3 s"; exit 1; }
  done
}

launch() { # VERSION
  as="setpriv --reuid=$USER_NAME --regid=$USER_NAME --clear-groups"
  {
    echo "JAVA_HOME='$JAVA_HOME'"
    echo "CASSANDRA_LOG_DIR='$folder/log'"
    cat cassandra.env
    [ -z "$own" ] || { as= && own_jmx; }
  } >launch.env
  limits="ulimit -n 1048576 2>/dev/null || ulimit -n \$(ulimit -Hn); ulimit -l unlimited 2>/dev/null || true"
  run="$limits; set -a; . '$folder/launch.env'; cd '$(home "$1")' || exit 1
    exec $as bin/cassandra -f >'$folder/log/stdout' 2>&1"
  if [ -z "$own" ] && [ -d /run/systemd/system ]; then
    systemctl reset-failed benchsite-cassandra.service 2>/dev/null || true
    systemd-run --quiet --unit=benchsite-cassandra --property=LimitNOFILE=1048576 \
      --property=LimitMEMLOCK=infinity --property=TasksMax=infinity sh -c "$run"
  else
    setsid sh -c "$run" </dev/null >/dev/null 2>&1 &
    [ -z "$own" ] || echo $! >launch.pid
  fi
}

# JMX is on 127.0.0.1 whatever the node's address is: each node of the machine takes a port that is free.
own_jmx() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' >jmx.port
  echo "JVM_EXTRA_OPTS=\"\${JVM_EXTRA_OPTS:-} -Dcassandra.jmx.local.port=$(cat jmx.port)\""
}

await() { # VERSION NODES SECONDS
  deadline=$(($(date +%s) + $3))
  until [ "$(nodetool "$1" status 2>/dev/null | grep -c '^UN ')" -eq "$2" ]; do
    [ "$(date +%s)" -lt "$deadline" ] || {
      echo "not all of $2 nodes are up after $3 s"
      nodetool "$1" status 2>&1 | tail -n 40
      exit 1
    }
    sleep "$RETRY_SECONDS"
  done
}

settle() { # VERSION SECONDS
  deadline=$(($(date +%s) + $2))
  nodetool "$1" flush
  until nodetool "$1" compactionstats | grep -Eq '^pending tasks:?[[:space:]]+0[[:space:]]*$'; do
    [ "$(date +%s)" -lt "$deadline" ] || { echo "compactions still wait after $2 s"; exit 1; }
    sleep "$RETRY_SECONDS"
  done
}

"$@"
