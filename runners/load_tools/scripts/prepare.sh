#!/bin/sh
# Prepares a Debian or Ubuntu host: Java, kernel limits, and for a database its disks under data/. Safe to repeat.
#   JAVA_MAJOR   of the distribution's OpenJDK; JAVA_URL: a JDK's tarball instead; neither: no Java
#   DISKS        the links of the database's disks (see disks.py); RAID: raid0 or none; FILESYSTEM: xfs or ext4
#   PROGRAMS     further programs, as "program:package program:package"
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
folder=$PWD
. bin/apt.sh

# The first boot goes on after sshd answers; its package manager would fight with ours.
if [ -d /run/systemd/system ] && command -v cloud-init >/dev/null; then
  timeout 600 cloud-init status --wait >/dev/null 2>&1 || true
  stop_own_updates
fi

need() { command -v "$1" >/dev/null || install "$2"; }

need python3 python3
for pair in ${PROGRAMS:-}; do need "${pair%%:*}" "${pair#*:}"; done

# Java
major_of() { "$1" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1; }
if [ -n "${JAVA_URL:-}" ]; then
  python3 bin/fetch.py "$JAVA_URL" dist/jdk.tar.gz
  [ -x dist/jdk/bin/java ] || {
    rm -rf dist/jdk.new && mkdir -p dist/jdk.new
    tar -xzf dist/jdk.tar.gz -C dist/jdk.new --strip-components=1
    mv dist/jdk.new dist/jdk
  }
  java_home=$folder/dist/jdk
elif [ -n "${JAVA_MAJOR:-}" ]; then
  find_java() {
    for java in /usr/lib/jvm/*/bin/java /usr/bin/java; do
      [ -x "$java" ] && [ "$(major_of "$java")" = "$JAVA_MAJOR" ] && { dirname "$(dirname "$(readlink -f "$java")")"; return; }
    done
    return 1
  }
  find_java >/dev/null || install "openjdk-$JAVA_MAJOR-jre-headless"
  java_home=$(find_java) || { echo "no Java $JAVA_MAJOR after its installation"; exit 1; }
fi
if [ -n "${java_home:-}" ]; then
  "$java_home/bin/java" -version >/dev/null 2>&1 || { echo "$java_home/bin/java does not run"; exit 1; }
  echo "JAVA_HOME=$java_home" >host.env
fi

# What the database's own documentation asks for; a container's kernel belongs to someone else.
set_kernel() { [ ! -w "$1" ] || echo "$2" >"$1" 2>/dev/null || true; }
set_kernel /proc/sys/vm/max_map_count 1048575
set_kernel /proc/sys/vm/zone_reclaim_mode 0
swapoff -a 2>/dev/null || true

format() {
  case ${FILESYSTEM:-xfs} in
    xfs) need mkfs.xfs xfsprogs && mkfs.xfs -q -f -K "$1" ;;
    ext4) mkfs.ext4 -q -F -E nodiscard "$1" ;;
    *) echo "cannot make a file system of the kind $FILESYSTEM" && exit 1 ;;
  esac
}
place() { # device, folder
  mkdir -p "$2"
  format "$1"
  mount -o noatime "$1" "$2"
}
mkdir -p data/0
if [ -n "${DISKS:-}" ] && ! grep -q " $folder/data/" /proc/mounts; then
  devices=$(python3 bin/disks.py) || {
    echo "$devices"
    exit 1
  }
  # shellcheck disable=SC2086  # one word for each disk
  set -- $devices
  if [ "${RAID:-none}" = raid0 ] && [ $# -gt 1 ]; then
    need mdadm mdadm
    mdadm --create /dev/md0 --run --level=0 --raid-devices=$# "$@"
    place /dev/md0 data/0
  else
    number=0
    for device in "$@"; do
      place "$device" "data/$number"
      number=$((number + 1))
    done
  fi
fi
