-- The rows of two partitions of shop.orders, each in a table of its own. The account of the head is MARIADB_USER.

USE shop;

CREATE TABLE orders_0 (
    id INT UNSIGNED NOT NULL PRIMARY KEY,
    ordered_on DATE NOT NULL,
    customer INT UNSIGNED NOT NULL,
    country CHAR(2) NOT NULL,
    quantity SMALLINT UNSIGNED NOT NULL,
    price DECIMAL(10, 2) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4;

CREATE TABLE orders_1 LIKE orders_0;
