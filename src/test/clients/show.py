"""Runs statements with PyMySQL in its default settings, so with autocommit off, and prints each row: show.py PORT USER PASSWORD SQL..."""
import sys

import pymysql

port, user, password, *statements = sys.argv[1:]
connection = pymysql.connect(host="127.0.0.1", port=int(port), user=user, password=password)
with connection.cursor() as cursor:
    for statement in statements:
        cursor.execute(statement)
        for row in cursor.fetchall():
            print("|".join(str(value) for value in row))
