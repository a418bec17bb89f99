#!/bin/bash
# The health check of the product image: 0 if Fanfold can serve clients. It prints the reason if not.
listens() { cat /proc/net/tcp /proc/net/tcp6 2> /dev/null | grep -qi "$(printf ':%04X [0-9A-F]*:0000 0A' "$1")"; }

if ! listens "$FANFOLD_HTTP_PORT"; then
  listens "$FANFOLD_PORT"
  exit
fi
exec 3<> "/dev/tcp/127.0.0.1/$FANFOLD_HTTP_PORT" || exit 1
printf 'GET /health/ready HTTP/1.0\r\n\r\n' >&3
read -r _ status _ <&3
tail -n 1 <&3
[ "$status" = 200 ]
