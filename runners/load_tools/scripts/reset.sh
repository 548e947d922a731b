#!/bin/sh
# Clears a host of the run that had it before, so that the next run finds nothing of it. In the folder of the next run:
#   reset.sh OLD    the folder of the run before. It is a file afterwards: no late command of that run can work there
# Ends all that works in OLD, takes its mounted disks over and empties them, removes all else but the archives of releases
# that fetch.py has verified and whose names hold their versions, and drops the page cache. Safe to repeat.
set -eu
export LC_ALL=C.UTF-8
old=$1
caches=${CACHES:-/proc/sys/vm/drop_caches} shared=${SHARED_MEMORY:-/dev/shm}
STOP_SECONDS=20

processes() { # of the run before, or started in what it left
  for place in /proc/[0-9]*; do
    case $(readlink "$place/cwd" 2>/dev/null || true) in
      "$old" | "$old"/* | "$old "* | "$old.gone" | "$old.gone"/* | "$old.gone "*) echo "${place#/proc/}" ;;
    esac
  done
}

end() { # first as it would end by itself
  left=$STOP_SECONDS
  signal=TERM
  while pids=$(processes) && [ -n "$pids" ]; do
    # shellcheck disable=SC2086
    kill -"$signal" $pids 2>/dev/null || true
    sleep 1
    left=$((left - 1))
    [ "$left" -gt 0 ] || signal=KILL
    [ "$left" -gt -60 ] || { echo "processes of the run before do not end: $pids"; exit 1; }
  done
}

mounted() { awk -v at="$1" '$2 == at { exit 1 }' /proc/mounts && return 1 || return 0; }

take_disks() { # the list is written before the first disk is unmounted: whoever repeats this knows them all
  if [ ! -e disks.taken ]; then
    awk -v under="$old/data/" 'index($2, under) == 1 { print $1, $2 }' /proc/mounts >disks.new
    mv disks.new disks.taken
  fi
  while read -r device place; do
    to=$PWD/data/${place##*/}
    attempts=10
    while mounted "$place"; do
      umount "$place" && break
      attempts=$((attempts - 1))
      [ "$attempts" -gt 0 ] || { echo "$place cannot be unmounted"; exit 1; }
      sleep 1
    done
    mkdir -p "$to"
    mounted "$to" || mount -o noatime "$device" "$to"
    find "$to" -mindepth 1 -maxdepth 1 ! -name lost+found -exec rm -rf {} +
    fstrim "$to" 2>/dev/null || true
  done <disks.taken
}

keep_releases() {
  mkdir -p dist
  for file in "$old"/dist/apache-cassandra-*-bin.tar.gz "$old"/dist/*.jar; do
    [ ! -f "$file" ] || mv -f "$file" dist/
  done
}

bar() {
  until [ -f "$old" ]; do
    [ ! -d "$old" ] || { rm -rf "$old.gone" && mv "$old" "$old.gone"; }
    (: >"$old") 2>/dev/null || true
  done
}

[ ! -d /run/systemd/system ] || systemctl stop benchsite-cassandra.service 2>/dev/null || true
end
take_disks
keep_releases
bar
end
rm -rf "$old.gone"
rm -f "$shared"/PostgreSQL.*
sync
[ ! -w "$caches" ] || echo 3 >"$caches" || true
