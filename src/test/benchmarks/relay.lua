-- The tables and the load of relay.sh, for sysbench 1.0: prepare | check | run | cleanup. One unpartitioned table of 100,000 rows.

sysbench.cmdline.options = {
  load = {"points: one row by its key; bulk: all rows in one answer", "points"},
  database = {"where the tables are", "fanfold_relay"},
}

local ROWS = 100000

-- Answers nothing. The database must not be there: it is dropped at the end.
local function prepare()
  local con = sysbench.sql.driver():connect()
  local database = sysbench.opt.database
  con:query("CREATE DATABASE " .. database)
  con:query("USE " .. database)
  con:query("CREATE TABLE digits (d INT PRIMARY KEY)")
  con:query("INSERT INTO digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)")
  -- some 200 bytes a row, of which zlib leaves two fifths; MySQL 9.7 has no MD5()
  con:query("CREATE TABLE visits (id INT PRIMARY KEY, day DATE, amount DECIMAL(12,2), code CHAR(32), note VARCHAR(200))")
  con:query("INSERT INTO visits SELECT n, DATE_ADD('2020-01-01', INTERVAL n % 1500 DAY), n * 7919 % 1000003 / 100, " ..
    "LEFT(SHA2(n, 256), 32), CONCAT('the visitor came from ', LEFT(SHA2(n % 977, 256), 32), ' and looked at ', " ..
    "n * 31 % 1009, ' pages of ', LEFT(SHA2(n % 89, 256), 32), REPEAT(' and left', n % 8)) " ..
    "FROM (SELECT a.d * 10000 + b.d * 1000 + c.d * 100 + d.d * 10 + e.d AS n " ..
    "FROM digits a, digits b, digits c, digits d, digits e) numbers")
  con:query("DROP TABLE digits")
  -- so that the proxy has something that it would split, and looks at statements
  con:query("CREATE TABLE parts (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 4")
  con:query("INSERT INTO parts VALUES (1), (2), (3), (4)")
end

local function status(con, name)
  local _, value = con:query_row("SHOW SESSION STATUS LIKE '" .. name .. "'")
  return value or ""
end

-- "check VERSION|CIPHER|COMPRESSION|BYTES": of the server, of its connection to whoever asks, and of one answer of all rows.
local function check()
  local con = sysbench.sql.driver():connect()
  local version = con:query_row("SELECT VERSION()")
  local cipher = status(con, "Ssl_cipher")
  local compression = status(con, "Compression")
  local before = status(con, "Bytes_sent")
  con:query("SELECT * FROM " .. sysbench.opt.database .. ".visits")
  local bytes = status(con, "Bytes_sent") - before
  print(table.concat({"check " .. version, cipher, compression, bytes}, "|"))
end

local function cleanup()
  sysbench.sql.driver():connect():query("DROP DATABASE " .. sysbench.opt.database)
end

sysbench.cmdline.commands = {prepare = {prepare}, check = {check}, cleanup = {cleanup}}

function thread_init()
  con = sysbench.sql.driver():connect()
  statement = "SELECT * FROM " .. sysbench.opt.database .. ".visits"
end

function event()
  if sysbench.opt.load == "bulk" then
    con:query(statement)
  else
    con:query(statement .. " WHERE id = " .. sysbench.rand.uniform(0, ROWS - 1))
  end
end

function thread_done()
  con:disconnect()
end
