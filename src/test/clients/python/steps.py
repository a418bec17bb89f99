"""Reads the scenario and writes down what a client observes. Shared by the clients in Python."""

import datetime
import json
import re
import sys
import zlib

STEP = re.compile(r"^(\w+)(!?)(?:/(\d+))?(?: (.*))?$")
WITH_PARAMETERS = ("args", "prepared", "many")


class Skipped(Exception):
    """The client has nothing for this verb."""


def steps(path, database):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.strip().replace("{db}", database)
            if line and not line.startswith("#"):
                match = STEP.match(line)
                verb, rest = match.group(1), match.group(4) or ""
                parameters = None
                if verb in WITH_PARAMETERS:
                    text, rest = rest.split(" | ", 1)
                    parameters = json.loads(text)
                yield line, verb, parameters, rest


def say(*words):
    print(*words)


def shown(value):
    """A value as the driver gives it, with its type; long ones by length and checksum."""
    if isinstance(value, (bytearray, memoryview)):
        return type(value).__name__ + ":" + shown(bytes(value))
    if isinstance(value, (str, bytes)) and len(value) > 200:
        data = value.encode() if isinstance(value, str) else value
        return f"{type(value).__name__} of {len(value)}, checksum {zlib.crc32(data)}"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(repr(v) for v in value)) + "}"
    if isinstance(value, (datetime.datetime, datetime.timedelta)):
        return f"{type(value).__name__} {value}"
    return repr(value)


def say_row(row):
    say("row", " | ".join(shown(value) for value in row))


class Checksum:
    """Of many rows, of which only the first ones are shown."""

    def __init__(self):
        self.rows = 0
        self.sum = 0

    def add(self, row):
        text = " | ".join(shown(value) for value in row)
        if self.rows < 2:
            say("row", text)
        self.rows += 1
        self.sum = zlib.crc32(text.encode(), self.sum)

    def say(self):
        say("rows", self.rows, "checksum", self.sum)


def arguments():
    """driver scenario host port user password database [tls]"""
    driver, scenario, host, port, user, password, database, *options = sys.argv[1:]
    sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)
    return driver, scenario, host, int(port), user, password, database, "tls" in options
