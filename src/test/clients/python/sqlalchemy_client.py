"""SQLAlchemy on PyMySQL: sqlalchemy_client.py DRIVER SCENARIO HOST PORT USER PASSWORD DATABASE [tls]"""

import sqlalchemy
from sqlalchemy import URL, Column, ForeignKey, Integer, MetaData, String, Table, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

from steps import Checksum, Skipped, arguments, say, say_row, shown, steps

_, SCENARIO, HOST, PORT, USER, PASSWORD, DATABASE, TLS = arguments()


def engine():
    return sqlalchemy.create_engine(
        URL.create("mysql+pymysql", USER, PASSWORD, HOST, PORT, DATABASE, {"charset": "utf8mb4"}),
        isolation_level="AUTOCOMMIT", pool_size=1, max_overflow=1, pool_pre_ping=True,
        connect_args={"ssl": {"check_hostname": False}} if TLS else {"ssl_disabled": True})


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(30))
    books: Mapped[list["Book"]] = relationship(back_populates="author", order_by="Book.id")


class Book(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(30))
    author_id: Mapped[int] = mapped_column(ForeignKey("author.id"))
    author: Mapped[Author] = relationship(back_populates="books")


class Client:
    def __init__(self):
        self.engine = engine()
        self.connection = self.engine.connect()

    def run(self):
        for line, verb, parameters, rest in steps(SCENARIO, DATABASE):
            say(">", line)
            try:
                getattr(self, verb)(*(() if parameters is None else (parameters,)), *((rest,) if rest else ()))
            except Skipped:
                say("skipped")
            except DBAPIError as error:
                say("error", type(error).__name__, *(shown(a) for a in error.orig.args), error.connection_invalidated)
        self.objects()
        self.connection.close()
        self.engine.dispose()

    def hello(self):
        row = self.connection.execute(text("SELECT VERSION(), DATABASE(), USER()")).one()
        say("version", self.engine.dialect.server_version_info, self.engine.dialect.is_mariadb, *row[:2],
            self.engine.dialect.default_schema_name, self.connection.default_isolation_level)

    def answer(self, result):
        if result.returns_rows:
            say("columns", *result.keys())
            for row in result:
                say_row(row)
        else:
            say("ok affected", result.rowcount, "id", result.lastrowid)

    def query(self, sql):
        self.answer(self.connection.exec_driver_sql(sql))

    def args(self, parameters, sql):
        names = {f"p{i}": value for i, value in enumerate(parameters)}
        for name in names:
            sql = sql.replace("?", ":" + name, 1)
        self.answer(self.connection.execute(text(sql), names))

    def prepared(self, parameters, sql):
        raise Skipped

    multi = reset = killquery = lambda self, sql="": Client.prepared(self, [], sql)

    def many(self, parameters, sql):
        things = Table("things", MetaData(), Column("id", Integer), Column("name", String(20)))
        self.answer(self.connection.execute(things.insert(), [{"id": i, "name": name} for i, name in parameters]))

    def stream(self, sql):
        checksum = Checksum()
        for row in self.connection.execution_options(stream_results=True, max_row_buffer=50).exec_driver_sql(sql):
            checksum.add(row)
        checksum.say()

    def call(self, name):
        given = (40, 2, "") if name == "takes_and_gives" else ()
        cursor = self.connection.connection.cursor()
        cursor.callproc(name, given)
        for row in cursor.fetchall():
            say_row(row)
        while cursor.nextset():
            say("next", *map(shown, cursor.fetchall()))
        cursor.close()

    def begin(self):
        self.query("BEGIN")

    def commit(self):
        self.query("COMMIT")

    def rollback(self):
        self.query("ROLLBACK")

    def use(self, database):
        self.query(f"USE {database}")

    def value(self, length):
        body = ("0123456789é😀" * (int(length) // 12 + 1))[: int(length)]
        raw = bytes(range(256))
        self.args([int(length), body, raw], "INSERT INTO made (id, body, raw) VALUES (?, ?, ?)")
        row = self.connection.execute(text("SELECT body, raw FROM made WHERE id = :id"), {"id": int(length)}).one()
        say("same", row.body == body, row.raw == raw)

    def ping(self):
        say("ping", self.engine.dialect.do_ping(self.connection.connection.dbapi_connection))

    def reconnect(self):
        self.connection.close()
        self.engine.dispose()
        self.connection = self.engine.connect()

    def kill(self):
        """The pool hands out another connection in the place of a dead one."""
        number = self.connection.exec_driver_sql("SELECT CONNECTION_ID()").scalar()
        with self.engine.connect() as other:
            other.exec_driver_sql(f"KILL {number}")
            while other.exec_driver_sql(
                    f"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {number}").scalar():
                pass
        try:
            self.query("SELECT 'nobody is there'")
        except DBAPIError as error:
            say("lost", type(error).__name__, *(shown(a) for a in error.orig.args), error.connection_invalidated)
        self.connection.close()
        self.connection = self.engine.connect()

    def objects(self):
        """What is particular to it: reflection, objects, and statements built of parts; behind the scenario."""
        reflected = MetaData()
        reflected.reflect(self.engine, only=["sales", "visits"])
        for table in reflected.sorted_tables:
            say("table", table.name, *(f"{c.name} {c.type} {c.nullable}" for c in table.columns))
        Base.metadata.create_all(self.engine)
        with Session(self.engine) as session:
            session.add(Author(name="Ann 😀", books=[Book(title="one"), Book(title="two")]))
            session.commit()
            author = session.scalars(select(Author)).one()
            say("author", author.id, author.name, [book.title for book in author.books])
            session.delete(author.books[0])
            session.rollback()
            say("books", session.scalar(select(func.count()).select_from(Book)))
        Base.metadata.drop_all(self.engine)


Client().run()
