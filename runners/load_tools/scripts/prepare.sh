#!/bin/sh
# Prepares a Debian or Ubuntu host: Java, kernel limits, and for a database its disks under data/. Safe to repeat.
#   JAVA_MAJOR   of the distribution's OpenJDK; JAVA_URL: a JDK's tarball instead
#   DISKS        how many disks the database may take (0: none); RAID: raid0 or none; FILESYSTEM: xfs or ext4
#   PROGRAMS     further programs, as "program:package program:package"
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
folder=$PWD

# The first boot goes on after sshd answers; its package manager would fight with ours.
if [ -d /run/systemd/system ] && command -v cloud-init >/dev/null; then
  timeout 600 cloud-init status --wait >/dev/null 2>&1 || true
  systemctl stop --no-block apt-daily.timer apt-daily-upgrade.timer unattended-upgrades.service 2>/dev/null || true
fi

apt() { apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" >>apt.log 2>&1; }
install() {
  apt install -y --no-install-recommends "$@" || { apt update && apt install -y --no-install-recommends "$@"; } || {
    tail -n 20 apt.log
    echo "cannot install $*"
    exit 1
  }
}
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
else
  find_java() {
    for java in /usr/lib/jvm/*/bin/java /usr/bin/java; do
      [ -x "$java" ] && [ "$(major_of "$java")" = "$JAVA_MAJOR" ] && { dirname "$(dirname "$(readlink -f "$java")")"; return; }
    done
    return 1
  }
  find_java >/dev/null || install "openjdk-$JAVA_MAJOR-jre-headless"
  java_home=$(find_java) || { echo "no Java $JAVA_MAJOR after its installation"; exit 1; }
fi
"$java_home/bin/java" -version >/dev/null 2>&1 || { echo "$java_home/bin/java does not run"; exit 1; }
echo "JAVA_HOME=$java_home" >host.env

# What the database's own documentation asks for; a container's kernel belongs to someone else.
set_kernel() { [ ! -w "$1" ] || echo "$2" >"$1" 2>/dev/null || true; }
set_kernel /proc/sys/vm/max_map_count 1048575
set_kernel /proc/sys/vm/zone_reclaim_mode 0
swapoff -a 2>/dev/null || true

# Disks: whatever is empty, in the kernel's order. A disk with a partition, a file system or a mount is somebody's.
empty_disks() {
  for disk in /sys/block/*; do
    name=${disk##*/}
    case $name in nvme*n* | sd* | xvd* | vd*) ;; *) continue ;; esac
    [ -b "/dev/$name" ] || continue
    [ "$(cat "$disk/size")" -gt 0 ] || continue
    for partition in "$disk/$name"*; do [ -e "$partition" ] && continue 2; done
    [ -z "$(ls "$disk/holders" 2>/dev/null)" ] || continue
    ! grep -q "^/dev/$name " /proc/mounts || continue
    [ -z "$(blkid -p -o value -s TYPE "/dev/$name" 2>/dev/null)" ] || continue
    echo "/dev/$name"
  done
}
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
if [ "${DISKS:-0}" -gt 0 ] && ! grep -q " $folder/data/" /proc/mounts; then
  # shellcheck disable=SC2046  # one word for each disk
  set -- $(empty_disks | head -n "$DISKS")
  if [ $# -lt "$DISKS" ]; then
    echo "the plan has $DISKS disks, this host has $# empty ones"
    exit 1
  fi
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
