#!/bin/sh
# Process 1 of a lab host, part two, in the order of a Debian cloud image: cloud-init sets keys and users, then sshd
# starts, then cloud-init runs the user's scripts. The real cloud-init does it, with the seed instead of a metadata server.
hostname "$(cat /etc/lab/hostname)"
mkdir -p /run/sshd
chmod 755 /run/sshd

python3 /etc/lab/stages.py
if [ -x /etc/lab/startup-script ]; then
  /etc/lab/startup-script
  echo "startup-script exit status $?"
fi
# From here on it only buries the orphans.
while :; do
  sleep 3600 &
  wait $!
done
