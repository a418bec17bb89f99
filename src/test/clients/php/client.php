<?php
// mysqli and PDO: client.php DRIVER SCENARIO HOST PORT USER PASSWORD DATABASE [tls]
// DRIVER is "mysqli" or "pdo".

[, $driver, $scenario, $host, $port, $user, $password, $database] = $argv;
$tls = in_array('tls', array_slice($argv, 8), true);
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
// a lost connection is told by an error, and by a warning of PHP too
error_reporting(E_ALL & ~E_WARNING);

final class Skipped extends Exception {}

function say(...$words): void
{
    echo implode(' ', $words), "\n";
}

function shown($value): string
{
    if (is_string($value) && strlen($value) > 200) {
        return 'string of ' . strlen($value) . ' checksum ' . crc32($value);
    }
    if (is_string($value) && !mb_check_encoding_utf8($value)) {
        return 'bytes ' . bin2hex($value);
    }
    return var_export($value, true);
}

function mb_check_encoding_utf8(string $value): bool
{
    return preg_match('//u', $value) === 1;
}

// Flags that depend on the server's plan: binary, no default value, number.
const PLANNED = 128 | 4096 | 32768;

abstract class Client
{
    abstract public function open(): object;
    abstract public function run(string $sql, object $on): array;

    public object $connection;

    public function connect(): void
    {
        $this->connection = $this->open();
    }

    public function reconnect(): void
    {
        $this->close();
        $this->connect();
    }

    public function sayRows(iterable $rows): void
    {
        $n = 0;
        foreach ($rows as $row) {
            say('row', implode(' | ', array_map('shown', array_values($row))));
            $n++;
        }
        say('rows', $n);
    }

    public function sayStream(iterable $rows): void
    {
        $n = 0;
        $hash = hash_init('sha256');
        foreach ($rows as $row) {
            $text = implode(' | ', array_map('shown', array_values($row)));
            if ($n++ < 2) {
                say('row', $text);
            }
            hash_update($hash, $text);
        }
        say('rows', $n, substr(hash_final($hash), 0, 16));
    }

    public function hello(): void
    {
        [$id, $version, $database, $user] =
            array_values($this->run('SELECT CONNECTION_ID(), VERSION(), DATABASE(), USER()', $this->connection)[0]);
        say('version', $version, $this->serverVersion(), 'id known', $this->knows((int) $id), $database,
            explode('@', $user)[0]);
    }

    public function many(array $parameters, string $sql): void
    {
        foreach ($parameters as $each) {
            $this->prepared($each, $sql);
        }
    }

    public function call(string $name): void
    {
        if ($name === 'takes_and_gives') {
            $this->query('SET @b = 2');
            $this->multi('CALL takes_and_gives(40, @b, @c)');
            $this->query('SELECT @b, @c');
        } else {
            $this->multi("CALL $name()");
        }
    }

    public function value(string $length): void
    {
        $text = mb_repeat('0123456789é😀', (int) $length);
        $raw = implode('', array_map('chr', range(0, 255)));
        $this->prepared([(int) $length, $text, $raw], 'INSERT INTO made (id, body, raw) VALUES (?, ?, ?)');
        $row = array_values($this->run("SELECT body, raw FROM made WHERE id = $length", $this->connection)[0]);
        say('same', var_export($row[0] === $text, true), var_export($row[1] === $raw, true), shown($row[0]));
    }

    public function kill(): void
    {
        $other = $this->open();
        $id = $this->run('SELECT CONNECTION_ID() AS id', $this->connection)[0]['id'];
        $this->run("KILL $id", $other);
        do {
            usleep(10000);
            $left = $this->run(
                "SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST WHERE ID = $id", $other)[0]['n'];
        } while ($left > 0);
        unset($other);
        try {
            $this->query("SELECT 'nobody is there'");
        } catch (mysqli_sql_exception | PDOException $e) {
            $this->sayError('lost', $e);
        }
        $this->connect();
    }

    public function killquery(string $sql): void
    {
        throw new Skipped();
    }
}

function mb_repeat(string $pattern, int $length): string
{
    $characters = preg_split('//u', $pattern, -1, PREG_SPLIT_NO_EMPTY);
    $whole = intdiv($length, count($characters));
    return str_repeat($pattern, $whole) . implode('', array_slice($characters, 0, $length % count($characters)));
}

final class OfMysqli extends Client
{
    public function open(): object
    {
        global $host, $port, $user, $password, $database, $tls;
        $connection = mysqli_init();
        $flags = $tls ? MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT : 0;
        $connection->real_connect($host, $user, $password, $database, (int) $port, null, $flags);
        $connection->set_charset('utf8mb4');
        return $connection;
    }

    public function close(): void
    {
        $this->connection->close();
    }

    public function serverVersion(): string
    {
        return $this->connection->server_info . ' ' . $this->connection->server_version;
    }

    public function knows(int $id): string
    {
        return var_export($id === $this->connection->thread_id, true);
    }

    public function run(string $sql, object $on): array
    {
        $result = $on->query($sql);
        return $result === true ? [] : $result->fetch_all(MYSQLI_ASSOC);
    }

    private function sayResult($result): void
    {
        if ($result instanceof mysqli_result) {
            foreach ($result->fetch_fields() as $f) {
                $text = in_array($f->type, [252, 253, 254], true);
                say('column', $f->name, $f->table, $f->orgtable, $f->db, $f->type, $f->length, $f->charsetnr,
                    $f->flags & ~PLANNED, $text ? '-' : $f->decimals);
            }
            $this->sayRows($result);
            $result->free();
        }
        $c = $this->connection;
        say('ok affected', $c->affected_rows, 'id', $c->insert_id, 'warnings', $c->warning_count, shown($c->info));
    }

    public function query(string $sql): void
    {
        $this->sayResult($this->connection->query($sql));
    }

    public function multi(string $sql): void
    {
        $this->connection->multi_query($sql);
        do {
            $this->sayResult($this->connection->store_result());
        } while ($this->connection->next_result());
    }

    public function args(array $parameters, string $sql): void
    {
        $this->prepared($parameters, $sql);
    }

    public function prepared(array $parameters, string $sql): void
    {
        $statement = $this->connection->prepare($sql);
        $statement->execute($parameters);
        $this->sayResult($statement->get_result());
        $statement->close();
    }

    public function stream(string $sql): void
    {
        $this->sayStream($this->connection->query($sql, MYSQLI_USE_RESULT));
    }

    public function begin(): void
    {
        $this->connection->begin_transaction();
    }

    public function commit(): void
    {
        $this->connection->commit();
    }

    public function rollback(): void
    {
        $this->connection->rollback();
    }

    public function use(string $name): void
    {
        $this->connection->select_db($name);
    }

    public function ping(): void
    {
        say('ping', var_export($this->connection->ping(), true));
    }

    public function reset(): void
    {
        global $user, $password, $database;
        say('changed user', var_export($this->connection->change_user($user, $password, $database), true));
    }

    /** The statement is sent without waiting for its answer. */
    public function killquery(string $sql): void
    {
        $this->connection->query($sql, MYSQLI_ASYNC);
        $other = $this->open();
        do {
            usleep(10000);
            // not by its id: through the proxy others may run it
            $running = $this->run("SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST"
                . " WHERE ID <> CONNECTION_ID() AND INFO LIKE '%a.seconds%b.n%c.n%'", $other)[0]['n'];
        } while ($running == 0);
        $this->run('KILL QUERY ' . $this->connection->thread_id, $other);
        $other->close();
        $result = $this->connection->reap_async_query();
        $result->fetch_all();
    }

    public function sayError(string $word, Exception $e): void
    {
        say($word, $e->getCode(), $e->getSqlState(), $e->getMessage());
    }
}

final class OfPdo extends Client
{
    public function open(): object
    {
        global $host, $port, $user, $password, $database, $tls;
        $options = [];
        if ($tls) {
            $options[PDO::MYSQL_ATTR_SSL_CA] = '';
            $options[PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT] = false;
        }
        return new PDO("mysql:host=$host;port=$port;dbname=$database;charset=utf8mb4", $user, $password, $options);
    }

    public function close(): void
    {
        unset($this->connection);
    }

    public function serverVersion(): string
    {
        return $this->connection->getAttribute(PDO::ATTR_SERVER_VERSION);
    }

    public function knows(int $id): string
    {
        return str_contains($this->connection->getAttribute(PDO::ATTR_CONNECTION_STATUS), '127.0.0.1 via TCP/IP')
            ? 'not told' : 'no';
    }

    public function run(string $sql, object $on): array
    {
        return $on->query($sql)->fetchAll(PDO::FETCH_ASSOC);
    }

    private function sayStatement(PDOStatement $statement): void
    {
        do {
            for ($i = 0; $i < $statement->columnCount(); $i++) {
                $m = $statement->getColumnMeta($i);
                $text = in_array($m['native_type'] ?? '', ['BLOB', 'VAR_STRING', 'STRING'], true);
                say('column', $m['name'], $m['table'] ?? '', $m['native_type'] ?? '', $m['len'],
                    $text ? '-' : $m['precision'], implode(',', $m['flags']));
            }
            if ($statement->columnCount() > 0) {
                $this->sayRows($statement->fetchAll(PDO::FETCH_NUM));
            }
            say('ok affected', $statement->rowCount(), 'id', $this->connection->lastInsertId());
        } while ($statement->nextRowset());
    }

    public function query(string $sql): void
    {
        $this->sayStatement($this->connection->query($sql));
    }

    public function multi(string $sql): void
    {
        $this->query($sql);
    }

    /** PDO puts parameters into the text unless it is told otherwise. */
    public function args(array $parameters, string $sql): void
    {
        $statement = $this->connection->prepare($sql);
        $statement->execute($parameters);
        $this->sayStatement($statement);
    }

    public function prepared(array $parameters, string $sql): void
    {
        $statement = $this->connection->prepare($sql, [PDO::ATTR_EMULATE_PREPARES => false]);
        $statement->execute($parameters);
        $this->sayStatement($statement);
    }

    public function stream(string $sql): void
    {
        $this->connection->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
        $statement = $this->connection->query($sql, PDO::FETCH_NUM);
        $this->sayStream($statement);
        $statement->closeCursor();
        $this->connection->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, true);
    }

    public function begin(): void
    {
        $this->connection->beginTransaction();
    }

    public function commit(): void
    {
        $this->connection->commit();
    }

    public function rollback(): void
    {
        $this->connection->rollBack();
    }

    public function use(string $name): void
    {
        $this->connection->exec("USE $name");
    }

    public function ping(): void
    {
        throw new Skipped();
    }

    public function reset(): void
    {
        throw new Skipped();
    }

    public function sayError(string $word, Exception $e): void
    {
        say($word, implode(' ', $e->errorInfo ?? []), $e->getMessage());
    }
}

$client = $driver === 'mysqli' ? new OfMysqli() : new OfPdo();
$client->connect();
foreach (file($scenario) as $raw) {
    $line = str_replace('{db}', $database, trim($raw));
    if ($line === '' || $line[0] === '#') {
        continue;
    }
    preg_match('/^(\w+)!?(?:\/\d+)? ?(.*)$/u', $line, $match);
    [, $verb, $rest] = $match;
    $arguments = [$rest];
    if (in_array($verb, ['args', 'prepared', 'many'], true)) {
        [$json, $sql] = explode(' | ', $rest, 2);
        $arguments = [json_decode($json, true, 512, JSON_THROW_ON_ERROR), $sql];
    }
    say('>', $line);
    try {
        $client->$verb(...$arguments);
    } catch (Skipped) {
        say('skipped');
    } catch (mysqli_sql_exception | PDOException $e) {
        $client->sayError('error', $e);
    }
}
