#!/bin/sh
# PostgreSQL of the host's distribution, for a cluster of its own on the host's disks. Root; safe to repeat.
#   postgresql_host.sh prepare             after this, the package makes and starts no cluster by itself
#   postgresql_host.sh tools VERSION       tools/postgresql leads to what is installed; VERSION "" takes any
#   postgresql_host.sh start SCALE CLIENT  make the cluster with conf/postgresql.conf, start it; CLIENT: who may connect
set -eu
export LC_ALL=C.UTF-8
bin=$PWD/tools/postgresql/bin
data=$PWD/data/0/postgresql
log=$PWD/postgresql.log
as="setpriv --reuid=postgres --regid=postgres --clear-groups"

prepare() {
  mkdir -p /etc/postgresql-common/createcluster.d
  echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/benchsite.conf
}

tools() { # VERSION
  newest=$(find /usr/lib/postgresql -path '*/bin/pgbench' 2>/dev/null | sort -V | tail -n 1)
  [ -n "$newest" ] || { echo "this host has no PostgreSQL"; exit 1; }
  mkdir -p tools && ln -sfn "${newest%/bin/pgbench}" tools/postgresql
  found=$("$newest" --version | sed 's/^[^0-9]*\([0-9.]*\).*/\1/')
  case $found. in
    "${1:+$1.}"*) ;;
    *) echo "the plan asks for PostgreSQL $1, the distribution of this host has $found" && exit 1 ;;
  esac
}

# A scale is 100,000 accounts, 16 MB with their index; 2 GB more for the log and the history.
check_space() { # SCALE
  needed=$(($1 * 16 + 2048))
  free=$(($(df -Pk data/0 | awk 'NR == 2 { print $4 }') / 1024))
  [ "$free" -ge "$needed" ] || { echo "scale $1 needs $needed MB of disk, $free MB are free"; exit 1; }
}

start() { # SCALE CLIENT
  if [ ! -d "$data" ]; then
    check_space "$1"
    rm -rf "$data.new" && install -d -o postgres -g postgres -m 700 "$data.new"
    $as "$bin/initdb" --pgdata="$data.new" --username=benchsite --auth=trust --encoding=UTF8 --locale=C >initdb.log 2>&1 || {
      tail -n 5 initdb.log
      exit 1
    }
    cat conf/postgresql.conf >>"$data.new/postgresql.conf"
    echo "host all benchsite $2 trust" >>"$data.new/pg_hba.conf"
    mv "$data.new" "$data"
  fi
  touch "$log" && chown postgres "$log"
  $as "$bin/pg_ctl" --pgdata="$data" status >/dev/null 2>&1 ||
    $as "$bin/pg_ctl" --pgdata="$data" --wait --timeout=120 --log="$log" start >/dev/null || {
    tail -n 10 "$log"
    echo "PostgreSQL does not start"
    exit 1
  }
}

"$@"
