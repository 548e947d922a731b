#!/bin/sh
# How one logs in to a lab host; run after cloud-init has set keys and users.
if [ ! -e /etc/lab/no-sshd ]; then
  # cloud-init was given a key or made some; a host without cloud-init has one all the same
  [ -e /etc/ssh/ssh_host_ed25519_key ] || ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key
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
