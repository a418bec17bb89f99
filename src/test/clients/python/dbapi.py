"""PyMySQL, mysqlclient (MySQLdb) and MySQL Connector/Python (pure and with its extension in C)."""

import struct
import threading
import time

from steps import Checksum, Skipped, arguments, say, say_row, shown, steps

DRIVER, SCENARIO, HOST, PORT, USER, PASSWORD, DATABASE, TLS = arguments()

TEXTS = (252, 253, 254)
BINARY, NO_DEFAULT, NUMBER = 128, 4096, 32768


class PyMySql:
    def __init__(self):
        import pymysql
        import pymysql.cursors
        from pymysql.constants import CLIENT

        self.module = pymysql
        self.errors = pymysql.Error
        self.unbuffered = pymysql.cursors.SSCursor
        self.multi = CLIENT.MULTI_STATEMENTS

    def connect(self):
        tls = {"ssl": {"check_hostname": False}} if TLS else {"ssl_disabled": True}
        return self.module.connect(
            host=HOST, port=PORT, user=USER, password=PASSWORD, database=DATABASE, charset="utf8mb4",
            autocommit=True, client_flag=self.multi, **tls)

    def thread_id(self, connection):
        return connection.thread_id()

    def version(self, connection):
        return connection.get_server_info()

    def streaming(self, connection):
        return connection.cursor(self.unbuffered)

    def prepared(self, connection):
        raise Skipped

    def reset(self, connection):
        raise Skipped

    def ping(self, connection):
        connection.ping(reconnect=False)

    def use(self, connection, database):
        connection.select_db(database)

    def warnings(self, connection, cursor):
        return getattr(cursor, "warning_count", "-")

    def call(self, cursor, name, parameters):
        return cursor.callproc(name, parameters)

    def extra(self, cursor):
        return ""


class MySqlDb(PyMySql):
    def __init__(self):
        import MySQLdb
        import MySQLdb.cursors
        from MySQLdb.constants import CLIENT

        self.module = MySQLdb
        self.errors = MySQLdb.Error
        self.unbuffered = MySQLdb.cursors.SSCursor
        self.multi = CLIENT.MULTI_STATEMENTS

    def connect(self):
        return self.module.connect(
            host=HOST, port=PORT, user=USER, password=PASSWORD, database=DATABASE, charset="utf8mb4",
            autocommit=True, client_flag=self.multi, ssl_mode="REQUIRED" if TLS else "DISABLED")

    def ping(self, connection):
        connection.ping()

    def warnings(self, connection, cursor):
        return connection.warning_count()

    def extra(self, cursor):
        info = cursor._result.info() if hasattr(cursor._result, "info") else None
        return f" info {info}" if info else ""


class MySqlConnector(PyMySql):
    def __init__(self, pure):
        if not pure:
            # before anything loads the system's OpenSSL, which may be older than the one that comes with it
            import _mysql_connector
        import mysql.connector

        self.module = mysql.connector
        self.errors = mysql.connector.Error
        if not pure:
            # not all ways through the extension turn its errors into those of the driver
            self.errors = (self.errors, _mysql_connector.MySQLError)
        self.pure = pure

    def connect(self):
        return self.module.connect(
            host=HOST, port=PORT, user=USER, password=PASSWORD, database=DATABASE, charset="utf8mb4",
            autocommit=True, use_pure=self.pure, ssl_disabled=not TLS)

    def thread_id(self, connection):
        return connection.connection_id

    def streaming(self, connection):
        return connection.cursor(buffered=False)

    def prepared(self, connection):
        return connection.cursor(prepared=True)

    def reset(self, connection):
        connection.reset_session()

    def use(self, connection, database):
        connection.database = database

    def warnings(self, connection, cursor):
        return cursor.warning_count


DRIVERS = {
    "pymysql": PyMySql,
    "mysqlclient": MySqlDb,
    "connector-pure": lambda: MySqlConnector(True),
    "connector-c": lambda: MySqlConnector(False),
}


class Client:
    def __init__(self):
        self.driver = DRIVERS[DRIVER]()
        self.connection = self.driver.connect()

    def run(self):
        for line, verb, parameters, rest in steps(SCENARIO, DATABASE):
            say(">", line)
            try:
                getattr(self, verb)(*(() if parameters is None else (parameters,)), *((rest,) if rest else ()))
            except Skipped:
                say("skipped")
            except self.driver.errors as error:
                say("error", type(error).__name__, *(shown(a) for a in error.args), getattr(error, "sqlstate", ""))
            except struct.error as error:
                # FLOATs of prepared statements in the pure Connector/Python; nothing can be read behind them
                say("broken", error)
                self.connection = self.driver.connect()
        self.connection.close()

    def hello(self):
        cursor = self.connection.cursor()
        cursor.execute("SELECT CONNECTION_ID(), VERSION(), DATABASE(), USER()")
        number, version, database, user = cursor.fetchone()
        cursor.close()
        known = number == self.driver.thread_id(self.connection)
        say("version", self.driver.version(self.connection), version, "id known", known, database, user.split("@")[0])

    def answer(self, cursor):
        number = 0
        while True:
            number += 1
            if cursor.description:
                for column in cursor.description:
                    say("column", *self.definition(*column))
                rows = cursor.fetchall()
                for row in rows:
                    say_row(row)
            say("result", number, "affected", cursor.rowcount, "id", cursor.lastrowid,
                "warnings", self.driver.warnings(self.connection, cursor), self.driver.extra(cursor))
            if not cursor.nextset():
                return

    @staticmethod
    def definition(*column):
        """Without what depends on the server's plan: decimals of MIN and MAX of strings, flags of temporary tables."""
        shown_column = [shown(part) for part in column]
        if column[1] in TEXTS:
            shown_column[5] = "-"
        if len(column) > 7:
            shown_column[7] = shown(column[7] & ~(BINARY | NO_DEFAULT | NUMBER))
        return shown_column

    def execute(self, sql, parameters=None, cursor=None):
        cursor = cursor or self.connection.cursor()
        try:
            if parameters is None:
                cursor.execute(sql)
            else:
                cursor.execute(sql.replace("%", "%%").replace("?", "%s"), parameters)
            self.answer(cursor)
        finally:
            try:
                cursor.close()
            except self.driver.errors:
                pass

    def query(self, sql):
        self.execute(sql)

    def multi(self, sql):
        self.execute(sql)

    def args(self, parameters, sql):
        self.execute(sql, parameters)

    def prepared(self, parameters, sql):
        self.execute(sql, parameters, self.driver.prepared(self.connection))

    def many(self, parameters, sql):
        cursor = self.connection.cursor()
        cursor.executemany(sql.replace("?", "%s"), parameters)
        self.answer(cursor)
        cursor.close()

    def stream(self, sql):
        cursor = self.driver.streaming(self.connection)
        cursor.execute(sql)
        checksum = Checksum()
        row = cursor.fetchone()
        while row:
            checksum.add(row)
            row = cursor.fetchone()
        checksum.say()
        cursor.close()

    def call(self, name):
        cursor = self.connection.cursor()
        parameters = (40, 2, "") if name == "takes_and_gives" else ()
        say("given", *(shown(value) for value in self.driver.call(cursor, name, parameters)))
        if hasattr(cursor, "stored_results"):
            for result in cursor.stored_results():
                for row in result.fetchall():
                    say_row(row)
        else:
            self.answer(cursor)
            cursor.execute("SELECT @_takes_and_gives_1, @_takes_and_gives_2")
            self.answer(cursor)
        cursor.close()

    def begin(self):
        self.connection.begin() if hasattr(self.connection, "begin") else self.query("BEGIN")

    def commit(self):
        self.connection.commit()

    def rollback(self):
        self.connection.rollback()

    def use(self, database):
        self.driver.use(self.connection, database)

    def value(self, length):
        text = ("0123456789é😀" * (int(length) // 12 + 1))[: int(length)]
        key = int(length)
        self.args([key, text, bytes(range(256))], "INSERT INTO made (id, body, raw) VALUES (?, ?, ?)")
        cursor = self.connection.cursor()
        cursor.execute("SELECT body, raw FROM made WHERE id = %s", (key,))
        body, raw = cursor.fetchone()
        cursor.close()
        say("same", text == body, bytes(range(256)) == bytes(raw), "read", shown(body), shown(raw))

    def ping(self):
        self.driver.ping(self.connection)

    def reset(self):
        self.driver.reset(self.connection)

    def reconnect(self):
        self.connection.close()
        self.connection = self.driver.connect()

    def await_list(self, cursor, condition, wanted):
        while True:
            cursor.execute("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND " + condition)
            if (cursor.fetchone()[0] > 0) == wanted:
                return
            time.sleep(0.01)

    def end_query(self, number):
        other = self.driver.connect()
        cursor = other.cursor()
        # not by its id: through the proxy others may run it
        self.await_list(cursor, "INFO LIKE '%a.seconds%b.n%c.n%'", True)
        cursor.execute(f"KILL QUERY {number}")
        cursor.close()
        other.close()

    def killquery(self, sql):
        thread = threading.Thread(target=self.end_query, args=(self.driver.thread_id(self.connection),))
        thread.start()
        cursor = self.connection.cursor()
        try:
            # whether the columns come before the error is not the same
            cursor.execute(sql)
            cursor.fetchall()
        finally:
            thread.join()

    def kill(self):
        other = self.driver.connect()
        cursor = other.cursor()
        number = self.driver.thread_id(self.connection)
        cursor.execute(f"KILL {number}")
        self.await_list(cursor, f"ID = {number}", False)
        cursor.close()
        other.close()
        try:
            self.query("SELECT 'nobody is there'")
        except self.driver.errors as error:
            say("lost", type(error).__name__, *(shown(a) for a in error.args))
        self.connection = self.driver.connect()


Client().run()
