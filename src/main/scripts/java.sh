# What the launchers of the sources and of the release archive share: finding Java and starting it. They read this file.

fail() {
  echo "fanfold: $*" >&2
  exit 1
}

# Sets java to the program.
find_java() {
  if [ -n "${JAVA_HOME:-}" ]; then
    [ -x "$JAVA_HOME/bin/java" ] || fail "JAVA_HOME is '$JAVA_HOME', which has no bin/java (expected: Java 17 or later)"
    java=$JAVA_HOME/bin/java
  else
    java=$(command -v java) || fail "no java found: set JAVA_HOME or put Java 17 or later on the PATH"
  fi
  # First line: openjdk version "17.0.15" 2025-04-15; before 9: java version "1.8.0_392".
  version=$("$java" -version 2>&1 | sed -n 's/^[^"]*version "\([^"]*\)".*/\1/p' | head -n 1)
  major=$(echo "$version" | sed -e 's/^1\.//' -e 's/[^0-9].*//')
  [ -n "$major" ] || fail "$java does not tell its version (expected: Java 17 or later)"
  [ "$major" -ge 17 ] || fail "$java is version $version (expected: Java 17 or later)"
}

# Replaces the shell by Java. $1: the folder of Fanfold. $2: its command. The rest: the arguments of java, after JAVA_OPTS.
exec_java() {
  folder=$1
  command=$2
  shift 2
  case $command in
    explain | observe)
      # The width of the terminal, to which they wrap long texts.
      if [ -t 1 ] && size=$(stty size 2>/dev/null </dev/tty); then
        set -- "-Dfanfold.columns=${size#* }" "$@"
      fi
      ;;
  esac
  if [ -t 2 ]; then
    set -- -Dfanfold.terminal=true "$@"
  fi
  # JAVA_OPTS holds several options. Each blank separates two of them, and * stays as it is.
  set -f
  # shellcheck disable=SC2086
  exec "$java" ${JAVA_OPTS:-} "-Dfanfold.home=$folder" "$@"
}
