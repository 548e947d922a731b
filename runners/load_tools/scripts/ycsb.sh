#!/bin/sh
# YCSB on a client, in its folder of the run, with host.env written by prepare.sh or cassandra_here.sh:
#   ycsb.sh install             the jars of bin/ycsb.jars with checksums, and bin/CassandraBinding.java compiled
#   ycsb.sh link                what this machine has in tools/ycsb
#   ycsb.sh schema ARGUMENTS    of the binding's own program
#   ycsb.sh fill ROWS OPTIONS   the load phase; fails unless every row was written
#   ycsb.sh run OPTIONS         the transactions
set -eu
export LC_ALL=C.UTF-8
# shellcheck disable=SC1091
. ./host.env
java=$JAVA_HOME/bin/java
home=dist/ycsb
binding=benchsite/CassandraBinding.class

install() {
  [ ! -e "$home/classes/$binding" ] || return 0
  rm -rf "$home.new" && mkdir -p "$home.new/lib" "$home.new/compiler" "$home.new/classes"
  while read -r address; do
    name=${address##*/}
    python3 bin/fetch.py "$address" "dist/$name" "${PEER:-}"
    case $name in
      ecj-*) cp "dist/$name" "$home.new/compiler/" ;;
      *) cp "dist/$name" "$home.new/lib/" ;;
    esac
  done <bin/ycsb.jars
  "$java" -cp "$home.new/compiler/*" org.eclipse.jdt.internal.compiler.batch.Main \
    -8 -nowarn -cp "$(printf '%s:' "$home.new"/lib/*.jar)" -d "$home.new/classes" bin/CassandraBinding.java
  [ -e "$home.new/classes/$binding" ] || { echo "the binding was not compiled"; exit 1; }
  rm -rf "$home"
  mv "$home.new" "$home"
}

link() {
  [ -e "tools/ycsb/classes/$binding" ] || { echo "this machine has no YCSB: make ycsb"; exit 1; }
  mkdir -p dist
  [ -e "$home" ] || ln -s "$(readlink -f tools/ycsb)" "$home"
}

with_jars() { exec "$java" -cp "$home/lib/*:$home/classes" "$@"; }

schema() { with_jars benchsite.CassandraBinding "$@"; }

run() { with_jars site.ycsb.Client "$@"; }

# YCSB ends with status 0 when rows could not be written; trials would then read what is not there.
fill() { # ROWS OPTIONS
  rows=$1
  shift
  (run "$@") >fill.log
  cat fill.log
  grep -qx "\[INSERT\], Return=OK, $rows" fill.log || { echo "not all of $rows rows were written"; exit 1; }
}

"$@"
