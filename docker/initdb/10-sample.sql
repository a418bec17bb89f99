-- A table to try Fanfold on: 480,000 orders of eight years, one partition for each year. For MySQL and MariaDB.

CREATE DATABASE IF NOT EXISTS shop CHARACTER SET utf8mb4;
USE shop;

CREATE TABLE orders (
    id INT UNSIGNED NOT NULL,
    ordered_on DATE NOT NULL,
    customer INT UNSIGNED NOT NULL,
    country CHAR(2) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    quantity SMALLINT UNSIGNED NOT NULL,
    price DECIMAL(10, 2) NOT NULL,
    PRIMARY KEY (id, ordered_on)
) ENGINE = InnoDB
PARTITION BY RANGE COLUMNS (ordered_on) (
    PARTITION y2018 VALUES LESS THAN ('2019-01-01'),
    PARTITION y2019 VALUES LESS THAN ('2020-01-01'),
    PARTITION y2020 VALUES LESS THAN ('2021-01-01'),
    PARTITION y2021 VALUES LESS THAN ('2022-01-01'),
    PARTITION y2022 VALUES LESS THAN ('2023-01-01'),
    PARTITION y2023 VALUES LESS THAN ('2024-01-01'),
    PARTITION y2024 VALUES LESS THAN ('2025-01-01'),
    PARTITION y2025 VALUES LESS THAN (MAXVALUE)
);

CREATE TEMPORARY TABLE digits (d INT NOT NULL);
INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
-- A temporary table can stand in a statement only once, therefore the numbers grow step by step.
CREATE TEMPORARY TABLE hundreds AS SELECT d AS n FROM digits;
CREATE TEMPORARY TABLE thousands AS SELECT digits.d * 10 + hundreds.n AS n FROM digits JOIN hundreds;
CREATE TEMPORARY TABLE numbers AS
    SELECT digits.d * 1000 + hundreds.n * 100 + thousands.n AS n FROM digits JOIN hundreds JOIN thousands;

-- 10,000 numbers, 48 times: the days run evenly over the 2922 days from 2018 to 2025.
INSERT INTO orders
SELECT
    digits.d * 60000 + hundreds.n * 10000 + numbers.n,
    DATE '2018-01-01' + INTERVAL ((digits.d * 60000 + hundreds.n * 10000 + numbers.n) * 7919) % 2922 DAY,
    (numbers.n * 31 + digits.d) % 5000,
    ELT(1 + (numbers.n * 7 + hundreds.n) % 6, 'AT', 'CH', 'DE', 'ES', 'FR', 'IT'),
    1 + (numbers.n * 13 + digits.d) % 20,
    CAST(1 + (numbers.n * 101 + hundreds.n * 17) % 99999 AS DECIMAL(10, 2)) / 100
FROM numbers JOIN digits JOIN hundreds
WHERE digits.d < 8 AND hundreds.n < 6;

DROP TEMPORARY TABLE numbers, thousands, hundreds, digits;
ANALYZE TABLE orders;
