#!/bin/bash
# The Docker engine, for machines where none runs yet. No systemd needed.
#
#   engine.sh start    installs docker.io with apt-get if there is no dockerd, starts one if no engine answers,
#                      waits until it answers; an engine that answers already is used as it is
#   engine.sh stop     ends the dockerd that `start` started (by its process id), never another one
#   engine.sh status   exit code 0 if an engine answers, 1 if none does
#
# FANFOLD_ENGINE_DIR   where the process id and the log are kept (default /var/tmp/fanfold-engine)
# DOCKERD_ARGS         more arguments for dockerd
set -euo pipefail

state=${FANFOLD_ENGINE_DIR:-/var/tmp/fanfold-engine}
pid_file=$state/dockerd.pid
log=$state/dockerd.log

say() { echo "engine: $*"; }
die() { echo "engine: $*" >&2; exit 1; }

# Prints the version of the engine that answers; fails if none does.
answering() {
  command -v docker > /dev/null && timeout 10 docker version --format '{{.Server.Version}}' 2> /dev/null
}

# Prints the start time of a process in clock ticks: a process id alone may have been given to another process.
started_at() { awk '{ sub(/^.*\) /, ""); print $20 }' "/proc/$1/stat" 2> /dev/null; }

# Prints the process id of the dockerd that `start` started, if it is alive.
ours() {
  [ -f "$pid_file" ] || return 1
  local pid start
  read -r pid start < "$pid_file"
  [ -n "$start" ] && [ "$(started_at "$pid")" = "$start" ] && echo "$pid"
}

install_engine() {
  command -v apt-get > /dev/null || die "no dockerd, and no apt-get to install it with"
  local since=$SECONDS
  apt-get update -qq
  # RUNLEVEL=1 keeps the package from starting an engine of its own, which `stop` would not know.
  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    docker.io iptables ca-certificates > "$state/install.log" 2>&1 || { tail -20 "$state/install.log" >&2; die "docker.io was not installed"; }
  say "docker.io installed in $((SECONDS - since)) s"
}

start() {
  local version pid
  if version=$(answering); then say "version $version answers already"; return; fi
  [ "$(id -u)" = 0 ] || die "no engine answers, and only root can start one"
  mkdir -p "$state"
  exec 9> "$state/lock"
  flock 9
  if version=$(answering); then say "version $version answers already"; return; fi
  command -v dockerd > /dev/null || install_engine
  if version=$(answering); then say "version $version answers since it was installed"; return; fi

  if pid=$(ours); then
    say "waiting for process $pid"
  else
    # A session of its own, so that it outlives this shell and gets no signal from its terminal.
    # shellcheck disable=SC2086
    setsid dockerd ${DOCKERD_ARGS-} > "$log" 2>&1 < /dev/null 9>&- &
    pid=$!
    echo "$pid $(started_at "$pid")" > "$pid_file"
  fi
  local tenths
  for tenths in $(seq 1 600); do
    if version=$(answering); then
      say "version $version answers, process $pid, log $log"
      return
    fi
    [ -d "/proc/$pid" ] || { tail -20 "$log" >&2; rm -f "$pid_file"; die "dockerd ended after $((tenths / 10)) s"; }
    sleep 0.1
  done
  die "dockerd $pid does not answer after 60 s; see $log"
}

stop() {
  local pid
  if ! pid=$(ours); then say "none to stop: no dockerd was started from here"; return; fi
  kill -TERM "$pid"
  local tenths
  for tenths in $(seq 1 300); do
    if [ ! -d "/proc/$pid" ]; then
      rm -f "$pid_file"
      say "process $pid ended after $((tenths / 10)) s"
      return
    fi
    sleep 0.1
  done
  die "process $pid still runs after 30 s"
}

status() {
  local version pid code=0
  if version=$(answering); then say "version $version answers"; else say "none answers"; code=1; fi
  if pid=$(ours); then say "process $pid was started from here"; fi
  return "$code"
}

case ${1-} in
  start) start ;;
  stop) stop ;;
  status) status ;;
  *) sed -n '2,10p' "$0" >&2; exit 2 ;;
esac
