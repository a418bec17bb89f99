// mysql2 and mariadb: client.mjs FOLDER DRIVER SCENARIO HOST PORT USER PASSWORD DATABASE [tls]
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [folder, driver, scenario, host, port, user, password, database, ...options] = process.argv.slice(2);
const library = createRequire(folder + '/')(driver === 'mysql2' ? 'mysql2/promise' : driver);
const TEXTS = new Set([252, 253, 254]);
// flags that depend on the server's plan: binary, no default value, number
const PLANNED = 128 | 4096 | 32768;

function say(...words) {
  process.stdout.write(words.join(' ') + '\n');
}

function shown(value) {
  if (Buffer.isBuffer(value)) {
    return value.length > 100 ? `Buffer of ${value.length} ${digest(value)}` : `Buffer ${value.toString('hex')}`;
  }
  if (value instanceof Date) {
    return 'Date ' + value.toISOString();
  }
  if (typeof value === 'string' && value.length > 200) {
    return `string of ${value.length} ${digest(value)}`;
  }
  return typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
}

function digest(value) {
  return createHash('sha256').update(value).digest('hex').slice(0, 16);
}

function sayError(word, error) {
  // the message of mariadb holds the id of the connection
  const message = driver === 'mysql2' ? error.message : error.sqlMessage;
  say(word, error.errno, error.code, error.sqlState, JSON.stringify(message), error.fatal ? 'fatal' : '');
}

class Client {
  async connect() {
    this.connection = await this.open();
  }

  async open() {
    const connection = await library.createConnection({
      host,
      port: Number(port),
      user,
      password,
      database,
      charset: 'utf8mb4',
      multipleStatements: true,
      supportBigNumbers: true,
      bigNumberStrings: false,
      timezone: 'Z',
      ...(options.includes('tls') ? { ssl: { rejectUnauthorized: false } } : {}),
    });
    // the error of a lost connection comes with the next statement
    connection.on('error', () => {});
    return connection;
  }

  sayAll([results, fields]) {
    const several = Array.isArray(fields) && (Array.isArray(fields[0]) || fields.includes(undefined));
    if (several) {
      results.forEach((result, i) => this.sayOne(result, fields[i]));
    } else {
      this.sayOne(results, fields);
    }
  }

  sayOne(result, fields) {
    if (!Array.isArray(result)) {
      const { affectedRows, insertId, info, warningStatus, changedRows, serverStatus } = result;
      say('ok affected', affectedRows, 'id', insertId, 'warnings', warningStatus, 'changed', changedRows,
        'status', serverStatus, JSON.stringify(info));
      return;
    }
    for (const f of fields ?? []) {
      say('column', f.name, f.columnType, f.columnLength, f.characterSet, f.flags & ~PLANNED,
        TEXTS.has(f.columnType) ? '-' : f.decimals, f.table, f.orgTable, f.orgName, f.schema);
    }
    for (const row of result) {
      say('row', Object.values(row).map(shown).join(' | '));
    }
    say('rows', result.length);
  }

  async hello() {
    const [[row]] = await this.connection.query(
      'SELECT CONNECTION_ID() AS id, VERSION() AS version, DATABASE() AS db, USER() AS user');
    say('version', row.version, 'id known', row.id === this.connection.threadId, row.db, row.user.split('@')[0]);
  }

  async query(sql) {
    this.sayAll(await this.connection.query(sql));
  }

  async args(parameters, sql) {
    this.sayAll(await this.connection.query(sql, parameters));
  }

  async prepared(parameters, sql) {
    this.sayAll(await this.connection.execute(sql, parameters));
  }

  async many(parameters, sql) {
    this.sayAll(await this.connection.query(sql.replace(/\(\?.*\)/, '?'), [parameters]));
  }

  async stream(sql) {
    const hash = createHash('sha256');
    let rows = 0;
    for await (const row of this.rowsOf(sql)) {
      const text = Object.values(row).map(shown).join(' | ');
      if (rows++ < 2) {
        say('row', text);
      }
      hash.update(text);
    }
    say('rows', rows, hash.digest('hex').slice(0, 16));
  }

  rowsOf(sql) {
    return this.connection.connection.query(sql).stream();
  }

  async multi(sql) {
    await this.query(sql);
  }

  async call(name) {
    const parameters = name === 'takes_and_gives' ? '40, @b, @c' : '';
    await this.connection.query('SET @b = 2');
    await this.query(`CALL ${name}(${parameters})`);
    await this.query('SELECT @b, @c');
  }

  async begin() {
    await this.connection.beginTransaction();
  }

  async commit() {
    await this.connection.commit();
  }

  async rollback() {
    await this.connection.rollback();
  }

  async use(name) {
    try {
      await this.connection.changeUser({ database: name });
    } catch (error) {
      // a login that failed; MySQL closes the connection behind it
      this.connection.destroy();
      await this.connect();
      throw error;
    }
  }

  async value(length) {
    const text = '0123456789é漢'.repeat(length / 12 + 1).slice(0, Number(length));
    const raw = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    await this.connection.query('INSERT INTO made (id, body, raw) VALUES (?, ?, ?)', [Number(length), text, raw]);
    for (const way of ['query', 'execute']) {
      const sql = 'SELECT body, raw FROM made WHERE id = ?';
      const row = await this.first(this.connection, way, sql, [Number(length)]);
      say('same', row.body === text, row.raw.equals(raw), shown(row.body), shown(row.raw));
    }
  }

  async first(connection, way, sql, parameters) {
    const [[row]] = await connection[way](sql, parameters);
    return row;
  }

  async ping() {
    await this.connection.ping();
  }

  async reset() {
    await this.connection.reset();
  }

  async reconnect() {
    await this.connection.end();
    await this.connect();
  }

  async awaitList(other, condition, wanted) {
    for (;;) {
      const row = await this.first(other, 'query',
        `SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND ${condition}`);
      if (row.n > 0 === wanted) {
        return;
      }
      await new Promise((done) => setTimeout(done, 10));
    }
  }

  async killquery(sql) {
    const ended = this.connection.query(sql).then(() => null, (error) => error);
    const other = await this.open();
    // not by its id: through the proxy others may run it
    await this.awaitList(other, "INFO LIKE '%a.seconds%b.n%c.n%'", true);
    await other.query(`KILL QUERY ${this.connection.threadId}`);
    await other.end();
    const error = await ended;
    if (error) {
      throw error;
    }
  }

  async kill() {
    const other = await this.open();
    const id = this.connection.threadId;
    await other.query(`KILL ${id}`);
    await this.awaitList(other, `ID = ${id}`, false);
    await other.end();
    // what it says depends on whether it has noticed by then
    await this.lost();
    try {
      await this.query("SELECT 'nobody is there'");
    } catch (error) {
      sayError('lost', error);
    }
    await this.connect();
  }

  async lost() {
    const { stream } = this.connection.connection;
    if (!stream.closed) {
      await once(stream, 'close');
    }
  }
}

class MariaDb extends Client {
  async open() {
    const connection = await library.createConnection({
      host,
      port: Number(port),
      user,
      password,
      database,
      charset: 'utf8mb4',
      multipleStatements: true,
      allowPublicKeyRetrieval: true,
      // 1 s unless told otherwise, which a busy machine of two cores cannot promise; mysql2 waits 10 s
      connectTimeout: 10_000,
      timezone: 'Z',
      ...(options.includes('tls') ? { ssl: { rejectUnauthorized: false } } : {}),
    });
    // the error of a lost connection comes with the next statement
    connection.on('error', () => {});
    return connection;
  }

  sayAll(result) {
    // several results are an array without definitions of its own
    if (Array.isArray(result) && !result.meta) {
      result.forEach((one) => this.sayOne(one));
    } else {
      this.sayOne(result);
    }
  }

  sayOne(result) {
    if (!Array.isArray(result)) {
      say('ok affected', result.affectedRows, 'id', result.insertId, 'warnings', result.warningStatus);
      return;
    }
    for (const c of result.meta) {
      const text = ['STRING', 'VAR_STRING', 'VARCHAR', 'BLOB'].includes(c.type);
      say('column', c.name(), c.type, c.columnLength, c.collation?.name, c.flags & ~PLANNED, text ? '-' : c.scale,
        c.table(), c.orgTable(), c.orgName(), c.db());
    }
    for (const row of result) {
      say('row', Object.values(row).map(shown).join(' | '));
    }
    say('rows', result.length);
  }

  async hello() {
    const [row] = await this.connection.query(
      'SELECT CONNECTION_ID() AS id, VERSION() AS version, DATABASE() AS db, USER() AS user');
    say('version', row.version, this.connection.serverVersion(), 'id known',
      Number(row.id) === Number(this.connection.threadId), row.db, row.user.split('@')[0]);
  }

  async many(parameters, sql) {
    this.sayAll(await this.connection.batch(sql, parameters));
  }

  rowsOf(sql) {
    return this.connection.queryStream(sql);
  }

  async use(name) {
    if (!this.connection.serverVersion().includes('MariaDB')) {
      // it refuses to change the user on MySQL
      await this.connection.query('USE ' + name);
      return;
    }
    try {
      await this.connection.changeUser({ user, password, database: name });
    } catch (error) {
      // a login that failed
      this.connection.destroy();
      await this.connect();
      throw error;
    }
  }

  async first(connection, way, sql, parameters) {
    const [row] = await connection[way](sql, parameters);
    return row;
  }

  async kill() {
    const { connection } = this;
    this.gone = new Promise((done) => ['error', 'end'].forEach((event) => connection.once(event, done)));
    await super.kill();
  }

  async lost() {
    await this.gone;
  }
}

const client = driver === 'mysql2' ? new Client() : new MariaDb();
await client.connect();
for (const raw of readFileSync(scenario, 'utf8').split('\n')) {
  const line = raw.trim().replaceAll('{db}', database);
  if (line && !line.startsWith('#')) {
    let [, verb, rest] = line.match(/^(\w+)!?(?:\/\d+)? ?(.*)$/);
    const words = [];
    if (['args', 'prepared', 'many'].includes(verb)) {
      const at = rest.indexOf(' | ');
      words.push(JSON.parse(rest.slice(0, at)));
      rest = rest.slice(at + 3);
    }
    say('>', line);
    try {
      await client[verb](...words, rest);
    } catch (error) {
      if (error.errno === undefined) {
        throw error;
      }
      sayError('error', error);
    }
  }
}
await client.connection.end();
