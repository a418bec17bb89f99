-- One table of odd values, made for every partitioning scheme by the test; NAME and SCHEME are replaced.
CREATE TABLE NAME (
  id INT NOT NULL,
  p INT NOT NULL,
  g INT NULL,
  tiny TINYINT NULL,
  u BIGINT UNSIGNED NULL,
  dec1 DECIMAL(12,4) NULL,
  dec65 DECIMAL(65,30) NULL,
  dbl DOUBLE NULL,
  flt FLOAT NULL,
  ci VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NULL,
  bin_s VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  l1 VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci NULL,
  vb VARBINARY(20) NULL,
  txt TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci NULL,
  d DATE NULL,
  dt DATETIME(6) NULL,
  tm TIME(2) NULL,
  y YEAR NULL,
  e ENUM('z','a','m') NULL,
  dfix DOUBLE(10,2) NULL,
  PRIMARY KEY (id, p)
) ENGINE=InnoDB SCHEME;
