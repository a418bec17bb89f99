#!/bin/bash
# What the lock of fan-out.table-locks costs writers: sysbench oltp_read_write on one partitioned table, by itself, beside a SELECT every
# 100 ms that passes through, beside the same SELECT split without a lock (fan-out.consistency: relaxed), and split under LOCK TABLES ...
# READ. What the lock costs is the difference of the last two. The server is one without another proof of equal snapshots:
# MariaDB without a binary log, or MySQL with gtid_mode=OFF. Prints one line for each way.
#
#   src/test/benchmarks/writers.sh [option]...
#
#   --image IMAGE     the server, in a container (default local/mariadb:10.11)
#   --seconds N       of each measurement (default 20)
#   --rounds N        measurements of each way, by turns; the median counts (default 3)
#   --threads N       writers (default 8)
#   --rows N          of the table (default 20000)
#
# Needs a Docker engine, a JDK 17, sysbench 1.0 and the mariadb client.
set -euo pipefail
home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
image=local/mariadb:10.11 seconds=20 rounds=3 threads=8 rows=20000

die() { echo "writers.sh: $*" >&2; exit 1; }
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit ;;
    --image | --seconds | --rounds | --threads | --rows) [ $# -gt 1 ] || die "$1 without a value"; printf -v "${1#--}" %s "$2"; shift ;;
    *) die "unknown option '$1' (see --help)" ;;
  esac
  shift
done
for program in sysbench mariadb docker java; do command -v "$program" > /dev/null || die "$program is not installed"; done

folder=$(mktemp -d)
container='' selects=''
declare -A processes=() ports=()
clean_up() {
  local code=$? child
  trap - EXIT INT TERM
  for child in $selects "${processes[@]}"; do kill "$child" 2> /dev/null && wait "$child" 2> /dev/null || true; done
  [ -z "$container" ] || docker rm --force --volumes "$container" > /dev/null || true
  rm -rf "$folder"
  exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

"$home/fanfold" --version > /dev/null # builds it if needed
export FANFOLD_WORKER_PASSWORD=secret MYSQL_PWD=secret
options=()
[[ $image == *mysql* ]] && options=(--gtid-mode=OFF --enforce-gtid-consistency=OFF)
container=$(docker run --detach --env MYSQL_ROOT_PASSWORD=secret --env MARIADB_ROOT_PASSWORD=secret --env MYSQL_ROOT_HOST=% "$image" "${options[@]}")
host=$(docker inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "$container")
sql() { mariadb --host="$host" --user=root --skip-ssl --batch --skip-column-names --execute="$1"; }
until sql 'SELECT 1' > /dev/null 2>&1; do sleep 0.5; [ "$SECONDS" -lt 90 ] || die "the server does not start"; done
sql "CREATE DATABASE sbtest; CREATE USER fanfold IDENTIFIED BY 'secret'; GRANT SELECT, LOCK TABLES ON sbtest.* TO fanfold"
load() {
  sysbench oltp_read_write --db-driver=mysql --mysql-host="$host" --mysql-user=root --mysql-password=secret --mysql-db=sbtest \
    --mysql-ssl=off --tables=1 --table-size="$rows" --threads="$threads" --time="$seconds" --percentile=99 "$@"
}
load prepare > "$folder/prepare.log"
sql "ALTER TABLE sbtest.sbtest1 PARTITION BY HASH (id) PARTITIONS 4"

# Starts a Fanfold with this consistency; its process and its port go to processes and ports.
start() {
  local log="$folder/$1.log"
  printf 'fan-out: {consistency: %s}\n' "$1" > "$folder/$1.yaml"
  "$home/fanfold" run --config "$folder/$1.yaml" --listen 127.0.0.1:0 --backend "$host:3306" --worker-user fanfold > "$log" 2>&1 &
  processes[$1]=$!
  until ports[$1]=$(grep -om1 'listening on [^,]*' "$log" | grep -oE '[0-9]+$'); do
    kill -0 "${processes[$1]}" 2> /dev/null || { cat "$log" >&2; die "Fanfold did not start"; }
    sleep 0.1
  done
}
start relaxed
start strict

# One SELECT every 100 ms while the writers run, in one session, through this Fanfold, with this hint; what it says goes to selects.log.
ask() {
  local end=$((SECONDS + seconds))
  while [ "$SECONDS" -lt "$end" ] && sleep 0.1; do
    echo "SELECT /*+ $2 */ COUNT(*), SUM(k) FROM sbtest1;" || return
  done | mariadb --skip-column-names --comments --host=127.0.0.1 --port="${ports[$1]}" --user=root sbtest > "$folder/selects.log" 2>&1
}
# Prints: transactions per second, p99 in ms, errors, statements split under locks, statements asked. measure none|whole|relaxed|locked
measure() {
  local before asked=0 locked=0
  before=$(grep -c 'locked' "$folder/strict.log" || true)
  case $1 in
    whole) ask strict NO_PARALLEL & selects=$! ;;
    relaxed) ask relaxed 'PARALLEL(2)' & selects=$! ;;
    locked) ask strict 'PARALLEL(2)' & selects=$! ;;
  esac
  load run > "$folder/run.log"
  if [ -n "$selects" ]; then
    wait "$selects" || true
    selects=''
    ! grep -i error "$folder/selects.log" >&2 || die "a statement failed"
    asked=$(wc -l < "$folder/selects.log")
    locked=$(($(grep -c 'locked' "$folder/strict.log" || true) - before))
  fi
  awk -v rest="$locked $asked" '/transactions:/ {gsub(/\(/, ""); tps = $3} /99th percentile:/ {p99 = $3} /ignored errors:/ {errors = $3}
    END {print tps, p99, errors, rest}' "$folder/run.log"
}
for round in $(seq 0 "$rounds"); do # round 0 warms up
  for way in none whole relaxed locked; do
    seen=$(measure "$way")
    [ "$round" = 0 ] || echo "$way $seen" >> "$folder/measured"
  done
done
median() { awk -v way="$1" -v field="$2" '$1 == way {print $field}' "$folder/measured" | sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
echo "$image ($(sql 'SELECT VERSION()')), $threads writers, $rounds rounds of $seconds s, medians"
printf '%-16s %14s %10s %10s %s\n' 'SELECTs' 'transactions/s' 'p99 ms' 'deadlocks' 'statements split under locks'
for way in none whole relaxed locked; do
  printf '%-16s %14s %10s %10s %s\n' "$way" "$(median $way 2)" "$(median $way 3)" "$(median $way 4)" "$(median $way 5) of $(median $way 6)"
done
