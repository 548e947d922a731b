#!/bin/sh
# Process 1 of a lab host, part one: what a kernel and an initramfs set up. /etc/lab was written from outside.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
set -e
mount -t proc proc /proc
mount -t sysfs -o ro sys /sys

# Devices of its own: the machine's disks do not exist here, the host's are loop devices under a cloud's names.
mount -t tmpfs -o mode=755 dev /dev
for node in 'null 1 3' 'zero 1 5' 'full 1 7' 'random 1 8' 'urandom 1 9' 'tty 5 0'; do
  set -- $node
  mknod -m 666 "/dev/$1" c "$2" "$3"
done
mkdir /dev/pts /dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
ln -s pts/ptmx /dev/ptmx
ln -s /proc/self/fd /dev/fd
ln -s /proc/self/fd/0 /dev/stdin
ln -s /proc/self/fd/1 /dev/stdout
ln -s /proc/self/fd/2 /dev/stderr
mount -t tmpfs -o mode=755 blocks /sys/block
while read -r name device major minor; do
  mknod -m 660 "/dev/$name" b "$major" "$minor"
  ln -s "../devices/virtual/block/$device" "/sys/block/$name"
done </etc/lab/disks
mkdir -p /dev/disk/by-id
while read -r link device; do ln -s "../../$device" "/dev/disk/by-id/$link"; done </etc/lab/links

# A host may set its own kernel parameters, not the machine's: these files stand in for those that are not per
# namespace; everything else but the network's is read-only, and there is no swap to turn off.
mkdir -p /run/lab
mount --bind /proc/sys /proc/sys
for name in vm/max_map_count vm/swappiness vm/zone_reclaim_mode vm/dirty_ratio vm/dirty_background_ratio fs/file-max fs/aio-max-nr; do
  [ -e "/proc/sys/$name" ] || continue
  cat "/proc/sys/$name" >"/run/lab/$(basename "$name")"
  mount --bind "/run/lab/$(basename "$name")" "/proc/sys/$name"
done
mount --bind /proc/sys/net /proc/sys/net
mount -o remount,bind,ro /proc/sys
mount -o remount,bind,rw /proc/sys/net
echo 'Filename				Type		Size		Used		Priority' >/run/lab/swaps
mount --bind /run/lab/swaps /proc/swaps
[ ! -e /proc/sysrq-trigger ] || mount --bind /dev/null /proc/sysrq-trigger

exec setpriv --bounding-set=-sys_module,-sys_boot,-sys_time,-mknod,-sys_rawio /bin/sh /etc/lab/services.sh
