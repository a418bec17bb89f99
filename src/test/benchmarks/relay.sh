#!/bin/bash
# What passing through costs: the server itself, HAProxy as a plain TCP relay and Fanfold, for clients in clear, with TLS
# and with compression (zlib), for point selects and for answers of 20 MB, in one run. The clients are sysbench's, and Fanfold
# is a process of its own. Prints one table of medians and ratios.
#
#   src/test/benchmarks/relay.sh [option]...
#
#   --seconds N           of each measurement (default 10)
#   --rounds N            measurements of each way, by turns; the median counts (default 5)
#   --modes "M ..."       of: clear tls zlib (default: all)
#   --loads "L ..."       of: points bulk, each with the number of clients behind it (default: points:8 bulk:1 bulk:4)
#   --image IMAGE         a server in a container of that image, such as local/mysql:9.7 or mariadb:11.8, instead of the
#                         embedded MariaDB of ./fanfold demo, whose TLS (wolfSSL) is slow; needs a Docker engine here
#   --server HOST:PORT    a server of yours instead; its account comes with --user USER (default root) and the environment
#                         variable FANFOLD_DEMO_PASSWORD, may make databases, and reads as Fanfold's workers
#   --database NAME       must not be there; is made, and dropped at the end (default fanfold_relay)
#   --certificates DIR    for TLS with a server of yours: cacert.pem, client-cert.pem and client-key.pem that it takes, since
#                         sysbench always shows a certificate. Without it TLS is left out
#   --keep-logs           do not delete the folder with the logs at the end
#
# With 5 rounds of 10 seconds it takes 30 minutes. Needs Linux, a JDK 17, sysbench 1.0, haproxy and openssl (Debian's packages
# of these names); installs nothing.
#
# TLS: direct and through HAProxy from the client to the server; through Fanfold on both sides, and a second time towards the
# client alone. Compression: as the client's (backend.compression: as_client). That connections are as they should be is asked
# of the server first, through each way; proxies for TLS take no client without it.
set -euo pipefail
home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
here=$home/src/test/benchmarks

seconds=10 rounds=5 modes='clear tls zlib' loads='points:8 bulk:1 bulk:4'
image='' server='' user=root database=fanfold_relay certificates='' keep_logs=''
tab=$'\t'

die() { echo "relay.sh: $*" >&2; exit 1; }
usage() { sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit "$1"; }

while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage 0 ;;
    --keep-logs) keep_logs=yes ;;
    --seconds | --rounds | --modes | --loads | --image | --server | --user | --database | --certificates)
      [ $# -gt 1 ] || die "$1 without a value"
      name=${1#--}
      printf -v "$name" %s "$2"
      shift
      ;;
    *) usage 2 >&2 ;;
  esac
  shift
done
for number in "$seconds" "$rounds"; do
  [[ $number =~ ^[1-9][0-9]{0,3}$ ]] || die "--seconds, --rounds: '$number' (expected: 1..9999)"
done
for mode in $modes; do [[ $mode =~ ^(clear|tls|zlib)$ ]] || die "--modes: '$mode' (expected: clear, tls, zlib)"; done
for load in $loads; do [[ $load =~ ^(points|bulk):[1-9][0-9]{0,2}$ ]] || die "--loads: '$load' (expected: such as points:8)"; done
[[ $database =~ ^[A-Za-z0-9_]{1,64}$ ]] || die "--database: '$database' (expected: letters, digits, underscores)"
[ -z "$server" ] || [[ $server =~ ^[^:]+:[0-9]+$ ]] || die "--server: '$server' (expected: HOST:PORT)"
[ -z "$server" ] || [ -z "$image" ] || die "--server and --image: one of them"

PATH=$PATH:/usr/sbin
missing=()
for program in sysbench haproxy openssl java; do command -v "$program" > /dev/null || missing+=("$program"); done
[ -z "$image" ] || docker info > /dev/null 2>&1 || missing+=("a Docker engine that answers")
[ ${#missing[@]} -eq 0 ] || { IFS=,; die "not here: ${missing[*]}"; }

folder=$(mktemp -d)
# a server in a container reads its certificate there
chmod 755 "$folder"
children=() container='' made=''

clean_up() {
  local code=$? child
  trap - EXIT INT TERM
  [ -z "$made" ] || call "$host" "$port" clear cleanup > /dev/null || true
  for child in "${children[@]}"; do kill "$child" 2> /dev/null || true; done
  for child in "${children[@]}"; do wait "$child" 2> /dev/null || true; done
  [ -z "$container" ] || docker rm --force --volumes "$container" > /dev/null || true
  if [ -n "$keep_logs" ]; then echo "logs: $folder" >&2; else rm -rf "$folder"; fi
  exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# Prints what the first line with that beginning says behind it, as soon as the file has one: found PID FILE BEGINNING
found() {
  local deadline=$((SECONDS + 60)) line
  until line=$(grep -m1 -- "$3" "$2" 2> /dev/null); do
    kill -0 "$1" 2> /dev/null && [ "$SECONDS" -lt "$deadline" ] || { tail -5 "$2" >&2; die "did not start: $(basename "$2")"; }
    sleep 0.1
  done
  echo "${line#*"$3"}"
}

# One call of sysbench: call HOST PORT MODE [OPTION]... COMMAND
call() {
  local where=(--mysql-host="$1" --mysql-port="$2") how=()
  case $3 in
    tls) how=(--mysql-ssl=on) ;;
    zlib) how=(--mysql-compression=on) ;;
  esac
  shift 3
  # it reads the certificates in the folder where it runs
  (cd "$keys" && exec sysbench "$here/relay.lua" --db-driver=mysql --mysql-user="$user" --mysql-password="$password" \
    --mysql-db=information_schema --database="$database" "${where[@]}" "${how[@]}" "$@")
}

certify() { # NAME
  openssl req -new -newkey rsa:2048 -nodes -subj "/CN=$1" -keyout "$folder/$1-key.pem" -out "$folder/$1.csr" 2> /dev/null
  openssl x509 -req -days 30 -in "$folder/$1.csr" -CA "$folder/cacert.pem" -CAkey "$folder/ca-key.pem" -CAcreateserial \
    -extfile <(echo "subjectAltName=DNS:localhost,IP:127.0.0.1") -out "$folder/$1-cert.pem" 2> /dev/null
}
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=relay -keyout "$folder/ca-key.pem" -out "$folder/cacert.pem" 2> /dev/null
certify server
certify client
chmod 644 "$folder"/*.pem
keys=$folder

# ---- the server
"$home/fanfold" --version > /dev/null # builds it where that is needed
password=$(openssl rand -hex 12)
place='this machine'
if [ -n "$server" ]; then
  host=${server%:*} port=${server##*:} password=${FANFOLD_DEMO_PASSWORD-} place=$host
  if [ -n "$certificates" ]; then
    keys=$(cd "$certificates" && pwd)
  else
    modes=$(sed -E 's/\btls\b//' <<< "$modes")
    echo "TLS is left out: no --certificates" >&2
  fi
elif [ -n "$image" ]; then
  container=$(docker run --detach --env MYSQL_ROOT_PASSWORD="$password" --env MYSQL_ROOT_HOST=% --volume "$folder:/relay:ro" "$image" \
    --ssl-ca=/relay/cacert.pem --ssl-cert=/relay/server-cert.pem --ssl-key=/relay/server-key.pem \
    --innodb-buffer-pool-size=256M --log-bin=binlog --server-id=1)
  host=$(docker inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "$container") port=3306
  place="this machine, in a container of $image"
else
  jar=$(cat "$home/target/embedded-mariadb.path" 2> /dev/null) ||
    die "the embedded MariaDB is not here: ./fanfold demo --scale 0.01 --exit fetches it; or name an --image or a --server"
  mkfifo "$folder/end"
  java -cp "$home/target/fanfold.jar" "$here/EmbeddedServer.java" "$jar" "$folder" "$password" \
    < "$folder/end" > "$folder/server.log" 2>&1 &
  children+=($!)
  exec 9> "$folder/end"
  host=127.0.0.1 port=$(found $! "$folder/server.log" 'port ')
fi

# A server in a container may end once before it is ready.
deadline=$((SECONDS + 90))
until call "$host" "$port" clear prepare > "$folder/prepare.log" 2>&1; do
  [ -n "$container" ] && grep -q 'unable to connect' "$folder/prepare.log" && [ "$SECONDS" -lt "$deadline" ] ||
    {
      cat "$folder/prepare.log" >&2
      # what it has begun with is removed, but not what was there before
      grep -qE 'unable to connect|database exists' "$folder/prepare.log" || made=yes
      die "the tables could not be made"
    }
  sleep 1
done
made=yes

# ---- the relays
listens() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }
relay_port=$((20000 + RANDOM % 10000))
while listens "$relay_port"; do relay_port=$((relay_port + 1)); done
cat > "$folder/haproxy.cfg" <<END
global
  maxconn 1000
defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
listen relay
  bind 127.0.0.1:$relay_port
  server server $host:$port
END
haproxy -db -f "$folder/haproxy.cfg" > "$folder/haproxy.log" 2>&1 &
children+=($!)
until listens "$relay_port"; do
  kill -0 $! 2> /dev/null || { cat "$folder/haproxy.log" >&2; die "HAProxy did not start"; }
  sleep 0.1
done

# Starts one and sets the variable NAME to its port: start_fanfold NAME LISTENER_TLS BACKEND_TLS
start_fanfold() {
  cat > "$folder/$1.yaml" <<END
listener: {port: 0, tls: {mode: $2, certificate: server-cert.pem, key: server-key.pem}, compression: on}
backend: {host: "$host", port: $port, tls: {mode: $3}, compression: as_client}
workers: {user: "$user"}
END
  FANFOLD_WORKER_PASSWORD=$password "$home/fanfold" run --config "$folder/$1.yaml" > "$folder/$1.log" 2>&1 &
  children+=($!)
  local listening
  listening=$(found $! "$folder/$1.log" 'listening on ')
  [[ $listening =~ :([0-9]+) ]] || die "no port in: $listening"
  printf -v "$1" %s "${BASH_REMATCH[1]}"
}
start_fanfold fanfold_clear disabled disabled
if [[ $modes == *tls* ]]; then
  start_fanfold fanfold_tls required required
  start_fanfold fanfold_front required disabled
fi

# The ways of a mode, and where each of them begins.
ways() { if [ "$1" = tls ]; then echo direct relay fanfold front; else echo direct relay fanfold; fi; }
target() { # MODE WAY
  case $1/$2 in
    */direct) echo "$host $port" ;;
    */relay) echo "127.0.0.1 $relay_port" ;;
    tls/fanfold) echo "127.0.0.1 $fanfold_tls" ;;
    tls/front) echo "127.0.0.1 $fanfold_front" ;;
    *) echo "127.0.0.1 $fanfold_clear" ;;
  esac
}

# ---- are they what they should be?
# Sets version, cipher, compression and bytes to what the server says: ask MODE WAY
ask() {
  local log=$folder/check-$1-$2.log
  # shellcheck disable=SC2046
  call $(target "$1" "$2") "$1" check > "$log" 2>&1 || { cat "$log" >&2; die "$1, $2: no connection"; }
  IFS='|' read -r version cipher compression bytes <<< "$(sed -n 's/^check //p' "$log")"
}
compressed='' tls=''
for mode in $modes; do
  for way in $(ways "$mode"); do
    ask "$mode" "$way"
    if [ "$mode" = tls ] && [ "$way" != front ]; then
      [ -n "$cipher" ] || die "$mode, $way: the server's connection is not encrypted"
      tls=$cipher
    else
      [ -z "$cipher" ] || die "$mode, $way: the server's connection is encrypted"
    fi
    [ "$compression" = "$([ "$mode" = zlib ] && echo ON || echo OFF)" ] || die "$mode, $way: Compression is '$compression'"
    [ "$mode" != zlib ] || compressed=$bytes
  done
done
ask clear direct

# ---- measure
rate() { # MODE WAY LOAD SECONDS: queries a second
  local log=$folder/run.log
  # shellcheck disable=SC2046
  call $(target "$1" "$2") "$1" --load="${3%:*}" --threads="${3#*:}" --time="$4" --events=0 --report-interval=0 run > "$log" 2>&1 ||
    { cat "$log" >&2; die "$1, $2, $3: the load failed"; }
  awk '/^ +total: / {queries = $2} /^ +total time: / {time = $3 + 0} END {if (!time) exit 1; printf "%.3f\n", queries / time}' "$log"
}
median() { sort -g | awk '{v[NR] = $1} END {print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2}'; }
for mode in $modes; do
  for load in $loads; do
    # round 0 warms up
    for round in $(seq 0 "$rounds"); do
      for way in $(ways "$mode"); do
        [ ! -t 2 ] || printf '\r%-60s' "$mode, $load, round $round, $way" >&2
        seen=$(rate "$mode" "$way" "$load" "$seconds")
        [ "$round" = 0 ] || echo "$mode$tab$load$tab$way$tab$seen" >> "$folder/rates"
      done
    done
  done
done
[ ! -t 2 ] || printf '\r%-60s\r' '' >&2

# ---- report
first() { "$@" 2>&1 | head -n 1 || true; }
rates() { awk -F'\t' -v m="$1" -v l="$2" -v w="$3" '$1 == m && $2 == l && $3 == w {print $4}' "$folder/rates"; }
line() { printf '%-22s  %-17s  %13s  %13s  %13s  %14s  %13s  %s\n' "$@" | sed 's/ *$//'; }
shown() { # LOAD RATE
  if [ "${1%:*}" = bulk ]; then awk -v r="$2" -v b="$bytes" 'BEGIN {printf "%.1f MB/s", r * b / 1e6}'; else printf '%.0f/s' "$2"; fi
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }

echo "machine: $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(awk '/MemTotal/ {printf "%.0f GB", $2 / 1e6}' /proc/meminfo), Linux $(uname -r)"
echo "server: $version on $place; relay: $(first haproxy -v)"
echo "clients: $(first sysbench --version), $(ldd "$(command -v sysbench)" | grep -oE 'lib(mysqlclient|mariadb)[^ ]*' | head -n 1); Fanfold: $("$home/fanfold" --version | head -n 1), $(first java -version)"
echo "data: 100,000 rows; points: one row by its key; bulk: all rows in one answer, $((bytes / 1000)) kB${compressed:+, $((compressed / 1000)) kB compressed by the server}${tls:+; $tls}"
echo "medians of $rounds rounds of $seconds s, by turns, behind one that warms up; clients, proxies$([ -n "$server" ] || echo " and server") share the cores"
echo
line connections load direct relay Fanfold Fanfold/direct Fanfold/relay 'rates of Fanfold'
declare -A names=([clear]='in clear' [tls]='TLS, on both sides' [zlib]='zlib, on both sides' [front]='TLS, clients alone')
for mode in $modes; do
  for load in $loads; do
    direct=$(rates "$mode" "$load" direct | median)
    relay=$(rates "$mode" "$load" relay | median)
    for way in $(ways "$mode"); do
      case $way in fanfold) name=${names[$mode]} ;; front) name=${names[front]} ;; *) continue ;; esac
      fanfold=$(rates "$mode" "$load" "$way" | median)
      clients=${load#*:}
      line "$name" "${load%:*}, $clients client$([ "$clients" = 1 ] || echo s)" "$(shown "$load" "$direct")" "$(shown "$load" "$relay")" \
        "$(shown "$load" "$fanfold")" "$(ratio "$fanfold" "$direct")" "$(ratio "$fanfold" "$relay")" \
        "$(rates "$mode" "$load" "$way" | sort -g | sed -n '1p;$p' | while read -r r; do shown "$load" "$r"; echo; done | paste -sd- | sed 's/-/ - /')"
    done
  done
done
