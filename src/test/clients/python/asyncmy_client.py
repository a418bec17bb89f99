"""asyncmy: asyncmy_client.py DRIVER SCENARIO HOST PORT USER PASSWORD DATABASE [tls]"""

import asyncio
import ssl

import asyncmy
import asyncmy.cursors
import asyncmy.errors
from asyncmy.constants.CLIENT import MULTI_STATEMENTS

from steps import Checksum, Skipped, arguments, say, say_row, shown, steps

_, SCENARIO, HOST, PORT, USER, PASSWORD, DATABASE, TLS = arguments()
TEXTS = (252, 253, 254)


def connect():
    options = {}
    if TLS:
        options["ssl"] = ssl.create_default_context()
        options["ssl"].check_hostname = False
        options["ssl"].verify_mode = ssl.CERT_NONE
    return asyncmy.connect(
        host=HOST, port=PORT, user=USER, password=PASSWORD, db=DATABASE, charset="utf8mb4", autocommit=True,
        client_flag=MULTI_STATEMENTS, **options)


class Client:
    async def run(self):
        self.connection = await connect()
        for line, verb, parameters, rest in steps(SCENARIO, DATABASE):
            say(">", line)
            try:
                await getattr(self, verb)(*(() if parameters is None else (parameters,)), *((rest,) if rest else ()))
            except Skipped:
                say("skipped")
            except asyncmy.errors.Error as error:
                say("error", type(error).__name__, *(shown(a) for a in error.args))
        await self.connection.ensure_closed()

    async def hello(self):
        async with self.connection.cursor() as cursor:
            await cursor.execute("SELECT CONNECTION_ID(), VERSION(), DATABASE(), USER()")
            number, version, database, user = await cursor.fetchone()
        known = number == self.connection.thread_id()
        say("version", self.connection.get_server_info(), version, "id known", known, database, user.split("@")[0])

    async def answer(self, cursor):
        while True:
            for column in cursor.description or ():
                # the decimals of MIN and MAX of strings depend on the server's plan
                say("column", *("-" if i == 5 and column[1] in TEXTS else shown(v) for i, v in enumerate(column)))
            for row in await cursor.fetchall() if cursor.description else ():
                say_row(row)
            say("result affected", cursor.rowcount, "id", cursor.lastrowid)
            if not await cursor.nextset():
                return

    async def query(self, sql, parameters=None):
        async with self.connection.cursor() as cursor:
            await cursor.execute(*((sql,) if parameters is None else (sql.replace("?", "%s"), parameters)))
            await self.answer(cursor)

    async def args(self, parameters, sql):
        await self.query(sql, parameters)

    async def multi(self, sql):
        await self.query(sql)

    async def prepared(self, parameters, sql):
        raise Skipped

    async def reset(self):
        raise Skipped

    async def many(self, parameters, sql):
        async with self.connection.cursor() as cursor:
            await cursor.executemany(sql.replace("?", "%s"), parameters)
            await self.answer(cursor)

    async def stream(self, sql):
        checksum = Checksum()
        async with self.connection.cursor(asyncmy.cursors.SSCursor) as cursor:
            await cursor.execute(sql)
            while row := await cursor.fetchone():
                checksum.add(row)
        checksum.say()

    async def call(self, name):
        async with self.connection.cursor() as cursor:
            given = await cursor.callproc(name, (40, 2, "") if name == "takes_and_gives" else ())
            say("given", *(shown(value) for value in given))
            await self.answer(cursor)
            await cursor.execute("SELECT @_takes_and_gives_1, @_takes_and_gives_2")
            await self.answer(cursor)

    async def begin(self):
        await self.connection.begin()

    async def commit(self):
        await self.connection.commit()

    async def rollback(self):
        await self.connection.rollback()

    async def use(self, database):
        await self.connection.select_db(database)

    async def value(self, length):
        text = ("0123456789é😀" * (int(length) // 12 + 1))[: int(length)]
        raw = bytes(range(256))
        await self.args([int(length), text, raw], "INSERT INTO made (id, body, raw) VALUES (?, ?, ?)")
        async with self.connection.cursor() as cursor:
            await cursor.execute("SELECT body, raw FROM made WHERE id = %s", (int(length),))
            body, read = await cursor.fetchone()
        say("same", text == body, raw == read, "read", shown(body), shown(read))

    async def ping(self):
        await self.connection.ping(reconnect=False)

    async def reconnect(self):
        await self.connection.ensure_closed()
        self.connection = await connect()

    async def await_list(self, other, condition, wanted):
        while True:
            async with other.cursor() as cursor:
                await cursor.execute(
                    "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND " + condition)
                if ((await cursor.fetchone())[0] > 0) == wanted:
                    return
            await asyncio.sleep(0.01)

    async def killquery(self, sql):
        number = self.connection.thread_id()

        async def end():
            other = await connect()
            # not by its id: through the proxy others may run it
            await self.await_list(other, "INFO LIKE '%a.seconds%b.n%c.n%'", True)
            async with other.cursor() as cursor:
                await cursor.execute(f"KILL QUERY {number}")
            await other.ensure_closed()

        ending = asyncio.create_task(end())
        try:
            async with self.connection.cursor() as cursor:
                await cursor.execute(sql)
        finally:
            await ending

    async def kill(self):
        other = await connect()
        number = self.connection.thread_id()
        async with other.cursor() as cursor:
            await cursor.execute(f"KILL {number}")
        await self.await_list(other, f"ID = {number}", False)
        await other.ensure_closed()
        try:
            await self.query("SELECT 'nobody is there'")
        except asyncmy.errors.Error as error:
            say("lost", type(error).__name__, *(shown(a) for a in error.args))
        self.connection = await connect()


asyncio.run(Client().run())
