#!/bin/sh
# A private PostgreSQL in the host's folder of the run, from tools/postgresql; no port, no root. Safe to repeat.
#   postgresql.sh start VERSION   make the cluster with conf/postgresql.conf, start it; VERSION "" takes any
#   postgresql.sh fill SCALE      pgbench's tables
set -eu
export LC_ALL=C.UTF-8
bin=$PWD/tools/postgresql/bin
data=data/0/postgresql
log=$PWD/postgresql.log

start() { # VERSION
  [ -x "$bin/initdb" ] || { echo "this host has no PostgreSQL under tools/postgresql"; exit 1; }
  found=$("$bin/postgres" --version | sed 's/.* \([0-9.]*\).*/\1/')
  case $found. in
    "${1:+$1.}"*) ;;
    *) echo "the plan asks for PostgreSQL $1, this host has $found" && exit 1 ;;
  esac
  if [ ! -d "$data" ]; then
    rm -rf "$data.new" && mkdir -p data/0
    "$bin/initdb" --pgdata="$data.new" --username=benchsite --auth=trust --encoding=UTF8 --locale=C >initdb.log 2>&1 || {
      tail -n 5 initdb.log
      exit 1
    }
    cat conf/postgresql.conf >>"$data.new/postgresql.conf"
    mv "$data.new" "$data"
  fi
  "$bin/pg_ctl" --pgdata="$data" status >/dev/null 2>&1 ||
    "$bin/pg_ctl" --pgdata="$data" --wait --timeout=120 --log="$log" start >/dev/null || {
    tail -n 10 "$log"
    echo "PostgreSQL does not start"
    exit 1
  }
}

# A scale is 100,000 accounts, 16 MB with their index; 2 GB more for the log, the history and what else the disk is for.
fill() { # SCALE
  needed=$(($1 * 16 + 2048))
  free=$(($(df -Pk data/0 | awk 'NR == 2 { print $4 }') / 1024))
  [ "$free" -ge "$needed" ] || { echo "scale $1 needs $needed MB of disk, $free MB are free"; exit 1; }
  "$bin/pgbench" --host="/proc/self/cwd/$data" --username=benchsite --initialize --scale="$1" --quiet postgres
}

"$@"
