<?php
// mysqli and PDO in their default settings: defaults.php DRIVER DATABASE LOGIN..., LOGIN is USER:PASSWORD:HOST:PORT.
// One line of output for each login: the answer of a SELECT and the server's word for TLS, or the error.

[, $driver, $database] = $argv;

const SELECT = 'SELECT 6 * 7';
const TLS = "SHOW SESSION STATUS LIKE 'Ssl_version'";

foreach (array_slice($argv, 3) as $login) {
    [$user, $password, $host, $port] = explode(':', $login);
    try {
        if ($driver === 'mysqli') {
            $connection = new mysqli($host, $user, $password, $database, (int) $port);
            $answer = $connection->query(SELECT)->fetch_row();
            $tls = $connection->query(TLS)->fetch_row();
            $connection->close();
        } else {
            $connection = new PDO("mysql:host=$host;port=$port;dbname=$database", $user, $password);
            $answer = $connection->query(SELECT)->fetch(PDO::FETCH_NUM);
            $tls = $connection->query(TLS)->fetch(PDO::FETCH_NUM);
            $connection = null;
        }
        echo "$answer[0] $tls[1]\n";
    } catch (Exception $error) {
        echo 'error ', get_class($error), ' ', preg_replace('/\s+/', ' ', $error->getMessage()), "\n";
    }
}
