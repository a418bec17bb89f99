#!/bin/bash
# Entry point of the local test images of MySQL and MariaDB. It honours what Testcontainers and compose files use of the
# official images, so that either kind of image serves:
#   MYSQL_ROOT_PASSWORD | MYSQL_ALLOW_EMPTY_PASSWORD | MYSQL_RANDOM_ROOT_PASSWORD, MYSQL_ROOT_HOST (default %),
#   MYSQL_DATABASE, MYSQL_USER with MYSQL_PASSWORD; each also as NAME_FILE, and with MARIADB_ for MariaDB;
#   /docker-entrypoint-initdb.d/*.{sh,sql,sql.gz}, /etc/mysql/conf.d/*.cnf, server options as arguments.
# TEST_IMAGE_SEED=0: initialise a data directory from scratch instead of copying the one in the image.
set -euo pipefail

seed=/usr/local/share/seed
initdb=/docker-entrypoint-initdb.d
server=$(command -v mariadbd || command -v mysqld)
case $server in *mariadbd) flavour=mariadb ;; *) flavour=mysql ;; esac

log() { printf '%s [entrypoint] %s\n' "$(date -u +%H:%M:%S.%3N)" "$*" >&2; }
die() { log "ERROR: $*"; exit 1; }

# Prints the setting NAME: $MARIADB_NAME and $MARIADB_NAME_FILE (MariaDB only), $MYSQL_NAME, $MYSQL_NAME_FILE, or $2.
setting() {
  local prefixes=(MYSQL) prefix name
  [ $flavour = mysql ] || prefixes=(MARIADB MYSQL)
  for prefix in "${prefixes[@]}"; do
    name=${prefix}_$1
    if [ -n "${!name-}" ]; then printf %s "${!name}"; return; fi
    name=${name}_FILE
    if [ -n "${!name-}" ]; then cat "${!name}"; return; fi
  done
  printf %s "${2-}"
}

text() { local s=${1//\\/\\\\}; printf "'%s'" "${s//\'/\'\'}"; }
# shellcheck disable=SC2016
name() { printf '`%s`' "${1//\`/\`\`}"; }

# The accounts and the database that the environment asks for; the server wants one statement per line.
# Not written to the binary log: a replica or a GTID set starts clean.
account_statements() {
  local password host database user user_password
  password=$(setting ROOT_PASSWORD)
  host=$(setting ROOT_HOST %)
  database=$(setting DATABASE)
  user=$(setting USER)
  user_password=$(setting PASSWORD)
  if [ -z "$password" ] && [ -n "$(setting RANDOM_ROOT_PASSWORD)" ]; then
    password=$(head -c 18 /dev/urandom | base64)
    log "GENERATED ROOT PASSWORD: $password"
  elif [ -z "$password" ] && [ -z "$(setting ALLOW_EMPTY_PASSWORD)$(setting ALLOW_EMPTY_ROOT_PASSWORD)" ]; then
    die "set MYSQL_ROOT_PASSWORD, MYSQL_ALLOW_EMPTY_PASSWORD or MYSQL_RANDOM_ROOT_PASSWORD"
  fi
  [ "$user" != root ] || die "MYSQL_USER=root: set MYSQL_ROOT_PASSWORD alone"

  echo "SET SESSION sql_log_bin=0;"
  echo "SET SESSION sql_mode='';"
  if [ $flavour = mariadb ]; then
    # Accounts without a password, for this host by its other names: they would come before the ones made here.
    echo "DELETE FROM mysql.global_priv WHERE User = '' OR User = 'root' AND Host <> 'localhost';"
    echo "DELETE FROM mysql.proxies_priv WHERE Host <> 'localhost';"
    echo "FLUSH PRIVILEGES;"
  fi
  if [ -n "$host" ] && [ "$host" != localhost ]; then
    echo "CREATE USER 'root'@$(text "$host") IDENTIFIED BY $(text "$password");"
    echo "GRANT ALL PRIVILEGES ON *.* TO 'root'@$(text "$host") WITH GRANT OPTION;"
  fi
  echo "ALTER USER 'root'@'localhost' IDENTIFIED BY $(text "$password");"
  [ -z "$database" ] || echo "CREATE DATABASE IF NOT EXISTS $(name "$database");"
  if [ -n "$user" ] && [ -n "$user_password" ]; then
    echo "CREATE USER $(text "$user")@'%' IDENTIFIED BY $(text "$user_password");"
    [ -z "$database" ] || echo "GRANT ALL PRIVILEGES ON $(name "${database//_/\\_}").* TO $(text "$user")@'%';"
  fi
}

# Whether the data directory of the image fits the options: some of them are laid down when it is made.
seed_fits() {
  local laid_down='(lower[-_]case[-_]table[-_]names|innodb[-_]page[-_]size|innodb[-_]data[-_]|innodb[-_]undo[-_])'
  [ "${TEST_IMAGE_SEED:-1}" = 1 ] && [ -d $seed ] || return 1
  if printf '%s\n' "$@" | grep -qE "^--$laid_down"; then return 1; fi
  if cat /etc/mysql/conf.d/*.cnf 2> /dev/null | grep -qE "^[[:space:]]*$laid_down"; then return 1; fi
}

make_data_directory() {
  if seed_fits "${options[@]}"; then
    log "copying the data directory of the image"
    cp -a $seed/. "$data/"
  elif [ $flavour = mysql ]; then
    log "initialising $data"
    "$server" "${options[@]}" --initialize-insecure >&2
  else
    log "initialising $data"
    mariadb-install-db --datadir="$data" --auth-root-authentication-method=normal --skip-test-db --force \
      "${options[@]}" > /tmp/install.log 2>&1 || { cat /tmp/install.log >&2; die "mariadb-install-db failed"; }
  fi
}

# Runs the files of /docker-entrypoint-initdb.d on a server that nobody else can reach.
run_init_files() { # INIT_SQL FILES
  local init=$1 socket=/tmp/init.sock client pid file database up=''
  shift
  log "temporary server for $# file(s) of $initdb"
  "$server" "${options[@]}" --skip-networking --socket=$socket --init-file="$init" >&2 &
  pid=$!
  client=$(command -v mariadb || command -v mysql)
  database=$(setting DATABASE)
  export MYSQL_PWD
  MYSQL_PWD=$(setting ROOT_PASSWORD)
  # The name that scripts know from the official images.
  docker_process_sql() { "$client" --no-defaults --protocol=socket --socket=$socket --user=root --comments ${database:+--database="$database"} "$@"; }
  for _ in $(seq 1 600); do
    [ -d /proc/$pid ] || die "the temporary server ended"
    if docker_process_sql -e 'SELECT 1' > /dev/null 2>&1; then up=1; break; fi
    sleep 0.1
  done
  [ -n "$up" ] || die "the temporary server did not answer within 60 s"
  for file; do
    log "running $file"
    # shellcheck disable=SC1090
    case $file in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.sql) docker_process_sql < "$file" ;;
      *.sql.gz) gunzip -c "$file" | docker_process_sql ;;
      *) log "ignored: $file" ;;
    esac
  done
  kill -TERM $pid
  wait $pid || die "the temporary server ended badly"
  unset MYSQL_PWD
}

case ${1-} in
  mysqld | mariadbd | "$server") shift ;;
  '' | -*) ;;
  *) exec "$@" ;;
esac
options=("$@")
data=/var/lib/mysql
for option; do case $option in --datadir=*) data=${option#*=} ;; esac; done
if [ "$(id -u)" = 0 ]; then
  options+=(--user=mysql)
  mkdir -p "$data" /run/mysqld /var/lib/mysql-files
  chown mysql:mysql "$data" /run/mysqld /var/lib/mysql-files
fi

if [ ! -d "$data/mysql" ]; then
  statements=$(account_statements)
  init=$(mktemp /tmp/init.XXXXXX.sql)
  chmod 644 "$init"
  printf '%s\n' "$statements" > "$init"
  make_data_directory
  shopt -s nullglob
  files=("$initdb"/*)
  if [ ${#files[@]} -gt 0 ]; then
    run_init_files "$init" "${files[@]}"
  else
    options+=(--init-file="$init")
  fi
fi
exec "$server" "${options[@]}"
