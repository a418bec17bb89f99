// mysql2 and mariadb in their default settings: defaults.mjs HOME DRIVER DATABASE LOGIN..., LOGIN is USER:PASSWORD:HOST:PORT.
// One line of output for each login: the answer of a SELECT and the server's word for TLS, or the error.
import { createRequire } from 'node:module';

const [home, driver, database, ...logins] = process.argv.slice(2);
const library = createRequire(home + '/').call(null, driver === 'mysql2' ? 'mysql2/promise' : driver);

async function rows(connection, sql) {
  const result = await connection.query(sql);
  return driver === 'mysql2' ? result[0] : result;
}

for (const login of logins) {
  const [user, password, host, port] = login.split(':');
  try {
    const connection = await library.createConnection({ host, port: Number(port), user, password, database });
    const [answer] = await rows(connection, 'SELECT 6 * 7 AS answer');
    const [tls] = await rows(connection, "SHOW SESSION STATUS LIKE 'Ssl_version'");
    console.log(String(answer.answer), tls.Value);
    await connection.end();
  } catch (error) {
    console.log('error', error.errno, error.code, error.message.replace(/\s+/g, ' '));
  }
}
