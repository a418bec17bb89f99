#!/bin/bash
# Stands in for MariaDB's own mariadb-install-db, which the jar with its binaries lacks: creates the system tables.
#   --datadir=FOLDER and other options of the server; options of the real script that the entry point gives are ignored
set -euo pipefail
share=/usr/local/share
options=()
for option; do
  case $option in
    --no-defaults | --auth-root-authentication-method=* | --skip-test-db | --force) ;;
    *) options+=("$option") ;;
  esac
done
{
  # the server reads one statement a line
  printf '%s\n' 'CREATE DATABASE IF NOT EXISTS mysql;' 'USE mysql;' 'SET @auth_root_socket = NULL;'
  # the last file uses the functions of the one before
  for file in mariadb_system_tables mariadb_performance_tables mariadb_system_tables_data maria_add_gis_sp_bootstrap mariadb_sys_schema; do
    cat "$share/$file.sql"
    echo
  done
  echo "DELETE FROM mysql.global_priv WHERE User = '';"
} | mariadbd --no-defaults --bootstrap --skip-ssl --log-warnings=0 --enforce-storage-engine= --max-allowed-packet=8M \
  --net-buffer-length=16K "${options[@]}"
