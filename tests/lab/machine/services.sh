#!/bin/sh
# Process 1 of a lab host, part two, in the order of a Debian cloud image: cloud-init sets keys and users, then sshd
# starts, then cloud-init runs the user's scripts. The real cloud-init does it, with the seed instead of a metadata server.
hostname "$(cat /etc/lab/hostname)"
mkdir -p /run/sshd
chmod 755 /run/sshd

cloud-init init
if [ ! -e /etc/lab/no-sshd ]; then
  ssh-keygen -A >/dev/null # those that cloud-init was not given
  /usr/sbin/sshd -D -e &
fi
# What Google's guest agent does: accounts with sudo for the keys of the metadata, then the startup script.
if [ -e /etc/lab/accounts ]; then
  while read -r user key; do
    id "$user" >/dev/null 2>&1 || useradd --create-home --shell /bin/bash "$user"
    echo "$user ALL=(ALL) NOPASSWD:ALL" >"/etc/sudoers.d/lab-$user"
    home=$(getent passwd "$user" | cut -d: -f6)
    mkdir -p -m 700 "$home/.ssh"
    echo "$key" >>"$home/.ssh/authorized_keys"
    chown -R "$user:$user" "$home/.ssh"
  done </etc/lab/accounts
fi
cloud-init modules --mode=config
cloud-init modules --mode=final
if [ -x /etc/lab/startup-script ]; then
  /etc/lab/startup-script
  echo "startup-script exit status $?"
fi
# From here on it only buries the orphans.
while :; do
  sleep 3600 &
  wait $!
done
