#!/bin/bash
# Removes the containers, networks and volumes that a killed test run has left behind. (A run that ends, or that is ended
# by SIGTERM, removes its own; the reaper container of Testcontainers is not used.)
#
#   clean.sh [label | label=value]    default: io.fanfold.test, the label that the tests of this project set; its value
#                                     is what the run was given by -Dfanfold.it.run
set -euo pipefail
filter=label=${1:-io.fanfold.test}

remove() { # LIST_COMMAND -- REMOVE_COMMAND
  local list=() ids
  while [ "$1" != -- ]; do list+=("$1"); shift; done
  shift
  mapfile -t ids < <("${list[@]}" --filter "$filter")
  [ ${#ids[@]} -eq 0 ] || "$@" "${ids[@]}"
}

docker version > /dev/null
remove docker ps -aq -- docker rm -fv
remove docker network ls -q -- docker network rm
remove docker volume ls -q -- docker volume rm
