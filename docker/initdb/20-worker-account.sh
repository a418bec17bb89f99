# shellcheck shell=bash
# Creates the worker account of Fanfold with the password from the environment. Read by the entry point of the server
# image, whose function docker_process_sql it uses: that is why this file is not executable.
fanfold_password=${FANFOLD_WORKER_PASSWORD:?}
fanfold_password=${fanfold_password//\\/\\\\}
{
  echo "SET @fanfold_password = '${fanfold_password//\'/\'\'}', @fanfold_database = 'shop';"
  cat /opt/fanfold/fanfold-user.sql
} | docker_process_sql
unset fanfold_password
