"""The drivers in their default settings: defaults.py DRIVER DATABASE LOGIN..., LOGIN is USER:PASSWORD:HOST:PORT.

One line of output for each login: the answer of a SELECT and the server's word for TLS, or the error.
"""

import sys

SELECT = "SELECT 6 * 7"
TLS = "SHOW SESSION STATUS LIKE 'Ssl_version'"


def of_dbapi(module, **options):
    def answers(user, password, host, port, database):
        connection = module.connect(
            host=host, port=port, user=user, password=password, database=database, **options)
        cursor = connection.cursor()
        cursor.execute(SELECT)
        answer = cursor.fetchall()
        cursor.execute(TLS)
        tls = cursor.fetchall()
        connection.close()
        return answer[0][0], tls[0][1]

    return answers


def of_asyncio(module):
    import asyncio

    async def ask(user, password, host, port, database):
        connection = await module.connect(host=host, port=port, user=user, password=password, db=database)
        async with connection.cursor() as cursor:
            await cursor.execute(SELECT)
            answer = await cursor.fetchall()
            await cursor.execute(TLS)
            tls = await cursor.fetchall()
        await connection.ensure_closed()
        return answer[0][0], tls[0][1]

    return lambda *login: asyncio.run(ask(*login))


def of_sqlalchemy():
    import sqlalchemy

    def answers(user, password, host, port, database):
        engine = sqlalchemy.create_engine(f"mysql+pymysql://{user}:{password}@{host}:{port}/{database}")
        with engine.connect() as connection:
            answer = connection.execute(sqlalchemy.text(SELECT)).all()
            tls = connection.execute(sqlalchemy.text(TLS)).all()
        engine.dispose()
        return answer[0][0], tls[0][1]

    return answers


def driver(name):
    if name == "pymysql":
        import pymysql

        return of_dbapi(pymysql)
    if name == "mysqlclient":
        import MySQLdb

        return of_dbapi(MySQLdb)
    if name == "mariadb":
        import mariadb

        return of_dbapi(mariadb)
    if name == "asyncmy":
        import asyncmy

        return of_asyncio(asyncmy)
    if name == "aiomysql":
        import aiomysql

        return of_asyncio(aiomysql)
    if name == "sqlalchemy":
        return of_sqlalchemy()
    # before anything loads the system's OpenSSL, which may be older than the one that comes with it
    import _mysql_connector
    import mysql.connector

    return of_dbapi(mysql.connector, **({"use_pure": True} if name == "connector-pure" else {}))


def main():
    name, database, *logins = sys.argv[1:]
    answers = driver(name)
    for login in logins:
        user, password, host, port = login.split(":")
        try:
            print(*answers(user, password, host, int(port), database))
        except Exception as error:
            print("error", type(error).__name__, " ".join(str(error).split()))


main()
