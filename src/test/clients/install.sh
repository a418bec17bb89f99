#!/bin/bash
# Installs the clients that ClientsIT runs, at fixed versions, from the registries of their languages.
#
#   install.sh [SET]...           the sets named, or all of them; one that is there already costs nothing, nor a network
#   install.sh --check SET        only says by its exit code whether the set is there, as this script would install it
#   install.sh --home             where they are: $FANFOLD_CLIENTS, or else below the cache folder of the user
#
# What each needs besides: python: python3 with venv and headers, a C compiler, libmariadb-dev and pkg-config.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=${FANFOLD_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/fanfold/clients}
sets=(python)

die() { echo "$*" >&2; exit 1; }
need() { command -v "$1" > /dev/null || die "$2: no $1"; }

# What the set is made of: as long as that is the same, nothing has to be done.
recipe() { (cd "$here/$1" && sha256sum $(inputs "$1") && version "$1" && echo "$home") | sha256sum | cut -d' ' -f1; }
installed() { [ "$(cat "$home/$1/recipe" 2> /dev/null)" = "$(recipe "$1")" ]; }

inputs() {
  case $1 in
    python) echo requirements.txt ;;
  esac
}

version() {
  case $1 in
    python) python3 --version ;;
  esac 2>&1
}

install_python() {
  need python3 python
  python3 -m venv "$home/python"
  "$home/python/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$here/python/requirements.txt"
}

install() {
  if installed "$1"; then return; fi
  local started=$SECONDS
  rm -rf "${home:?}/$1"
  mkdir -p "$home/$1"
  "install_$1"
  recipe "$1" > "$home/$1/recipe"
  echo "clients in $1: installed in $((SECONDS - started)) s"
}

case ${1:-} in
  --home) echo "$home" ;;
  --check) installed "${2:?the set}" ;;
  -*) die "usage: install.sh [SET]... | --check SET | --home" ;;
  *)
    for set in "${@:-${sets[@]}}"; do
      [[ " ${sets[*]} " == *" $set "* ]] || die "$set (expected: one of ${sets[*]})"
      install "$set"
    done
    ;;
esac
