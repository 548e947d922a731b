# shellcheck shell=sh
# Packages of a Debian or Ubuntu host; prepare.sh includes it. APT_SECONDS: how long another may hold a lock.

# The machine's own updates fight with ours, and their timers may have started them already. What only fetches lists is
# ended; an upgrade that has begun is waited for, by its lock.
stop_own_updates() {
  systemctl stop --no-block apt-daily.timer apt-daily-upgrade.timer unattended-upgrades.service 2>/dev/null || true
  timeout 60 systemctl stop apt-daily.service 2>/dev/null || true
}

# DPkg::Lock::Timeout covers dpkg's lock and not that of the lists, so a lock that is held is waited for here.
apt() {
  apt_deadline=$(($(date +%s) + ${APT_SECONDS:-300}))
  until apt-get -q -o DPkg::Lock::Timeout="${APT_SECONDS:-300}" -o Acquire::Retries=3 "$@" >apt.last 2>&1; do
    cat apt.last >>apt.log
    grep -Eqi 'could not get lock|unable to (acquire|lock)' apt.last || return 1
    [ "$(date +%s)" -lt "$apt_deadline" ] || return 1
    sleep "${APT_PAUSE:-5}"
  done
  cat apt.last >>apt.log
}

install() {
  apt install -y --no-install-recommends "$@" || { apt update && apt install -y --no-install-recommends "$@"; } || {
    tail -n 20 apt.log
    echo "cannot install $*"
    exit 1
  }
}
