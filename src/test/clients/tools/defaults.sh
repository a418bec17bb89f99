#!/bin/sh
# A command-line client in its default settings: defaults.sh CLIENT DATABASE LOGIN..., LOGIN is USER:PASSWORD:HOST:PORT. One line
# of output for each login: the answer of a SELECT and the server's word for TLS, or the error.
client=$1
database=$2
shift 2
for login; do
  IFS=: read -r user password host port << END
$login
END
  # an empty password has the client ask for none
  "$client" -h "$host" -P "$port" -u "$user" --password="$password" -N -B \
    -e "SELECT 6 * 7; SHOW SESSION STATUS LIKE 'Ssl_version'" "$database" 2>&1 |
    grep -v 'Using a password on the command line' | sed 's/^ERROR/error/; s/Ssl_version//' | tr -s '\n\t ' ' '
  echo
done
