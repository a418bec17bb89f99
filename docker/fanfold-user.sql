-- Creates the account under which the worker connections of Fanfold read; for MySQL and MariaDB. It may SELECT and LOCK TABLES in
-- one database and nothing else. Clients keep their own accounts, which the server itself checks.
--
--   mysql -u root -p --init-command="SET @fanfold_password = 'secret', @fanfold_database = 'shop'" < docker/fanfold-user.sql
--
-- Run the last statements again for each further database with large tables.
--
-- Fanfold uses LOCK TABLES only if the server offers no other proof of equal snapshots. Leave it out to forbid that.
--
-- On a replica snapshots can also be proven by the rows in which replication keeps its place; docs/consistency.md says when they
-- tell all. On MySQL with super_read_only=1:
--   GRANT SELECT ON mysql.slave_relay_log_info TO 'fanfold'@'%';
--   GRANT SELECT ON mysql.slave_worker_info TO 'fanfold'@'%';
-- On MariaDB without log_slave_updates:
--   GRANT SELECT ON mysql.gtid_slave_pos TO 'fanfold'@'%';
--   GRANT SLAVE MONITOR ON *.* TO 'fanfold'@'%';

SET @statement = CONCAT('CREATE USER IF NOT EXISTS ''fanfold''@''%'' IDENTIFIED BY ', QUOTE(@fanfold_password));
PREPARE create_account FROM @statement;
EXECUTE create_account;
DEALLOCATE PREPARE create_account;

-- An underscore in the name of the database in a GRANT stands for any character unless it is escaped.
SET @statement = CONCAT('GRANT SELECT, LOCK TABLES ON `', REPLACE(REPLACE(@fanfold_database, '`', '``'), '_', '\\_'),
    '`.* TO ''fanfold''@''%''');
PREPARE grant_select FROM @statement;
EXECUTE grant_select;
DEALLOCATE PREPARE grant_select;

-- The password should not stay where SHOW or a later statement of this session could print it.
SET @fanfold_password = NULL, @statement = NULL;
