# Prints what explains a failure on a host, the most important first, for a reader that may stop at any moment; not a file
# of the host, whose disk may be full. Each part is a line "part SIZE PATH", then the end of the content in base64.
#   AGE      seconds since the machine was ordered: the kernel's older lines are not about the run
#   LIMIT    bytes of a part
#   KERNEL   yes: the kernel's log belongs to this host
#   UNIT     the database's service in systemd, or empty
#   PROCESS  a regular expression of the database's command, or empty; it must not match itself: "[c]assandra"
#   FILES    a path a line, wildcards allowed; of several the three newest
set -u
export LC_ALL=C.UTF-8

part() { # SIZE PATH; the content comes on stdin
  printf 'part %s %s\n' "$1" "$2"
  tail -c "$LIMIT" | base64
}
text() { # PATH TEXT
  printf '%s\n' "$2" | part "$((${#2} + 1))" "$1"
}
both_ends() { # TEXT, without its middle when it is longer than LIMIT
  if [ "${#1}" -lt "$LIMIT" ]; then printf '%s' "$1"; return; fi
  printf '%s' "$1" | head -c "$((LIMIT / 2))"
  printf '\n[...]\n'
  printf '%s' "$1" | tail -c "$((LIMIT / 2 - 8))"
}
bounded() { timeout 5 "$@" 2>&1; } # a dead disk or network lets a command hang

database() { # of this host's folder alone: other nodes may be on the same machine
  for pid in $(pgrep -f "$PROCESS"); do
    case $(readlink "/proc/$pid/cwd") in "$(pwd -P)" | "$(pwd -P)"/*) echo "database: running as process $pid" && return ;; esac
  done
  echo "database: not running"
}
state() { # what matters most comes first: a host may have hundreds of mounts
  date -u '+%Y-%m-%d %H:%M:%S UTC'
  uptime
  [ -z "$PROCESS" ] || database
  bounded df -Pk .
  bounded df -Pi .
  ps -eo pid,stat,rss,pcpu,etime,args --sort=-rss | cut -c1-160 | head -n 10
  free -m
  bounded ip -s link show up
  bounded df -Pi -x tmpfs -x overlay
  bounded df -Pk
}
kernel() { # the lines since the machine was ordered
  bounded dmesg | awk -v age="$AGE" 'BEGIN { getline up <"/proc/uptime"; split(up, u, " "); since = u[1] - age }
    match($0, /^\[ *[0-9]+\.[0-9]+\]/) { at = substr($0, 2, RLENGTH - 2) + 0 }
    at >= since'
}

[ "$KERNEL" = yes ] && text kernel.log "$(kernel)"
if [ "$KERNEL" = yes ]; then text state.txt "$(both_ends "$(state)")"; else text state.txt "$([ -z "$PROCESS" ] || database)"; fi
if [ -n "$UNIT" ] && [ "$KERNEL" = yes ] && command -v journalctl >/dev/null; then
  text journal.log "$(bounded journalctl --no-pager --output=short-iso --lines=1000 --unit="$UNIT")"
fi
set -f
IFS='
'
for pattern in $FILES; do
  set +f
  # shellcheck disable=SC2086,SC2012  # wildcards; our own names have no spaces
  for file in $(ls -1td $pattern 2>/dev/null | head -n 3); do
    [ -f "$file" ] && part "$(wc -c <"$file")" "$file" <"$file"
  done
  set -f
done
exit 0
