-- The tables and procedures that the scenario finds. One statement a line, so that any client can run it.
CREATE TABLE sales (id INT NOT NULL PRIMARY KEY, region VARCHAR(10) NOT NULL, amount DECIMAL(12,2) NOT NULL, sold DATETIME NOT NULL, note VARCHAR(20) NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 PARTITION BY HASH (id) PARTITIONS 4
CREATE TABLE stock (item INT NOT NULL PRIMARY KEY, pieces BIGINT NOT NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 PARTITION BY RANGE (item) (PARTITION low VALUES LESS THAN (100), PARTITION middle VALUES LESS THAN (300), PARTITION high VALUES LESS THAN MAXVALUE)
CREATE TABLE visits (id INT NOT NULL PRIMARY KEY, page VARCHAR(40) NOT NULL, seconds INT NULL, day DATE NOT NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 PARTITION BY KEY (id) PARTITIONS 5
INSERT INTO sales WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i, ELT(1 + i % 4, 'north', 'south', 'east', 'west'), i * 1.37 - 200, '2024-01-01' + INTERVAL i * 61 MINUTE, IF(i % 5 = 0, NULL, CONCAT('note ', i % 23, ' é😀')) FROM n
INSERT INTO stock SELECT id, id * 1000003 % 7919 FROM sales WHERE id <= 600
INSERT INTO visits SELECT a.id + 1000 * (b.id - 1), CONCAT('/page/', a.id % 97, '/', b.id), IF(a.id % 11 = 0, NULL, (a.id * 7 + b.id) % 100), '2024-01-01' + INTERVAL (a.id % 366) DAY FROM sales a JOIN sales b ON b.id <= 20
CREATE TABLE plain (id INT NOT NULL PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB
INSERT INTO plain SELECT id, id FROM sales
CREATE PROCEDURE two_results() BEGIN SELECT COUNT(*) AS n FROM sales; SELECT region, note FROM sales WHERE id IN (1, 2) ORDER BY id; END
CREATE PROCEDURE takes_and_gives(IN a INT, INOUT b INT, OUT c VARCHAR(20)) BEGIN SET b = a + b; SET c = CONCAT('c is ', b); SELECT a, b, c; END
ANALYZE TABLE sales, stock, visits
