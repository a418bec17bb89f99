# shellcheck shell=bash
# Names the servers of the partitions, creates the table, and loads 480,000 orders. Read by the entry point of the server image, whose
# function docker_process_sql it uses: that is why this file is not executable.
spider_password=${SPIDER_PASSWORD:?}
spider_password=${spider_password//\\/\\\\}
spider_password=${spider_password//\'/\'\'}
for backend in b1 b2; do
  echo "CREATE SERVER $backend FOREIGN DATA WRAPPER mysql OPTIONS (HOST '$backend', PORT 3306, DATABASE 'shop', USER 'spider',"
  echo "  PASSWORD '$spider_password');"
done | cat <(echo "INSTALL SONAME 'ha_spider';") - | docker_process_sql
unset spider_password

docker_process_sql << 'SQL'
CREATE DATABASE IF NOT EXISTS shop CHARACTER SET utf8mb4;
USE shop;

CREATE TABLE orders (
    id INT UNSIGNED NOT NULL PRIMARY KEY,
    ordered_on DATE NOT NULL,
    customer INT UNSIGNED NOT NULL,
    country CHAR(2) NOT NULL,
    quantity SMALLINT UNSIGNED NOT NULL,
    price DECIMAL(10, 2) NOT NULL
) ENGINE = SPIDER DEFAULT CHARSET = utf8mb4 COMMENT = 'wrapper "mysql"'
PARTITION BY HASH (id) (
    PARTITION p0 COMMENT = 'srv "b1", table "orders_0"',
    PARTITION p1 COMMENT = 'srv "b2", table "orders_0"',
    PARTITION p2 COMMENT = 'srv "b1", table "orders_1"',
    PARTITION p3 COMMENT = 'srv "b2", table "orders_1"'
);

INSERT INTO orders
SELECT
    seq,
    DATE '2018-01-01' + INTERVAL (seq * 7919) % 2922 DAY,
    (seq * 31) % 5000,
    ELT(1 + (seq * 7) % 6, 'AT', 'CH', 'DE', 'ES', 'FR', 'IT'),
    1 + (seq * 13) % 20,
    CAST(1 + (seq * 101) % 99999 AS DECIMAL(10, 2)) / 100
FROM seq_1_to_480000;
SQL
