"""Reports inside and outside transactions: transactions.py DRIVER MODE DATABASE LOGIN STEP..., LOGIN is USER:PASSWORD:HOST:PORT.

The report is the SELECT in $FANFOLD_SELECT. MODE is what the program sets:
  default     nothing
  autocommit  autocommit, as README.md says
  engine      nothing, but pandas gets an engine instead of a connection
STEP is
  report      one line of output, the report's rows
  begin       begins a transaction
  commit      ends the transaction
"""

import os
import sys

SELECT = os.environ["FANFOLD_SELECT"]


def say(rows):
    # pandas turns decimals into floats
    print(*("|".join(str(int(value) if isinstance(value, float) else value) for value in row) for row in rows), sep=";")


class OfDbApi:
    def __init__(self, module, **options):
        self.module = module
        self.options = options

    def connect(self, autocommit, user, password, host, port, database):
        options = {**self.options, **({"autocommit": True} if autocommit else {})}
        self.connection = self.module.connect(
            host=host, port=port, user=user, password=password, database=database, **options)

    def report(self):
        cursor = self.connection.cursor()
        cursor.execute(SELECT)
        say(cursor.fetchall())
        cursor.close()

    def commit(self):
        self.connection.commit()

    def close(self):
        self.connection.close()


class OfAsyncio:
    """asyncmy and aiomysql."""

    def __init__(self, module):
        import asyncio

        self.module = module
        self.loop = asyncio.new_event_loop()

    def connect(self, autocommit, user, password, host, port, database):
        options = {"autocommit": True} if autocommit else {}

        async def opened():
            return await self.module.connect(host=host, port=port, user=user, password=password, db=database, **options)

        self.connection = self.loop.run_until_complete(opened())

    def report(self):
        async def rows():
            async with self.connection.cursor() as cursor:
                await cursor.execute(SELECT)
                return await cursor.fetchall()

        say(self.loop.run_until_complete(rows()))

    def commit(self):
        self.loop.run_until_complete(self.connection.commit())

    def close(self):
        self.loop.run_until_complete(self.connection.ensure_closed())
        self.loop.close()


class OfSqlAlchemy:
    def connect(self, autocommit, user, password, host, port, database):
        import sqlalchemy

        options = {"isolation_level": "AUTOCOMMIT"} if autocommit else {}
        self.text = sqlalchemy.text(SELECT)
        self.engine = sqlalchemy.create_engine(
            f"mysql+pymysql://{user}:{password}@{host}:{port}/{database}", **options)
        self.connection = self.engine.connect()

    def report(self):
        say(self.connection.execute(self.text).all())

    def commit(self):
        """One block ``with engine.connect()`` ends, another begins."""
        self.connection.close()
        self.connection = self.engine.connect()

    def close(self):
        self.connection.close()
        self.engine.dispose()


class OfPandas(OfSqlAlchemy):
    def __init__(self, engine):
        self.by_engine = engine

    def report(self):
        import pandas

        frame = pandas.read_sql(SELECT, self.engine if self.by_engine else self.connection)
        say(frame.itertuples(index=False))


class OfDjango:
    def connect(self, autocommit, user, password, host, port, database):
        import django
        from django.conf import settings

        login = {"USER": user, "PASSWORD": password, "HOST": host, "PORT": port, "NAME": database}
        settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.mysql", **login}})
        django.setup()
        from django.db import connection, transaction

        self.connection = connection
        self.transaction = transaction

    def begin(self):
        """Each request begins like this with ATOMIC_REQUESTS."""
        self.block = self.transaction.atomic()
        self.block.__enter__()

    def report(self):
        with self.connection.cursor() as cursor:
            cursor.execute(SELECT)
            say(cursor.fetchall())

    def commit(self):
        self.block.__exit__(None, None, None)

    def close(self):
        self.connection.close()


def driver(name, mode):
    if name == "pymysql":
        import pymysql

        return OfDbApi(pymysql)
    if name == "mysqlclient":
        import MySQLdb

        return OfDbApi(MySQLdb)
    if name == "mariadb":
        import mariadb

        return OfDbApi(mariadb)
    if name == "asyncmy":
        import asyncmy

        return OfAsyncio(asyncmy)
    if name == "aiomysql":
        import aiomysql

        return OfAsyncio(aiomysql)
    if name == "sqlalchemy":
        return OfSqlAlchemy()
    if name == "pandas":
        return OfPandas(mode == "engine")
    if name == "django":
        return OfDjango()
    # before anything loads the system's OpenSSL, which may be older than the one that comes with it
    import _mysql_connector
    import mysql.connector

    return OfDbApi(mysql.connector, **({"use_pure": True} if name == "connector-pure" else {}))


def main():
    name, mode, database, login, *steps = sys.argv[1:]
    user, password, host, port = login.split(":")
    client = driver(name, mode)
    client.connect(mode == "autocommit", user, password, host, int(port), database)
    for step in steps:
        getattr(client, step)()
    client.close()


main()
