//! mysql_async: client SCENARIO HOST PORT USER PASSWORD DATABASE [tls]

use std::time::Duration;

use mysql_async::consts::{ColumnFlags, ColumnType};
use mysql_async::prelude::{Protocol, Queryable};
use mysql_async::{Conn, Error, Opts, OptsBuilder, Params, QueryResult, Row, SslOpts, TxOpts, Value};

/// What a step ended with, if not well.
enum End {
    Failed(Error),
    Skipped,
}

impl From<Error> for End {
    fn from(error: Error) -> End {
        End::Failed(error)
    }
}

struct Client {
    opts: Opts,
    conn: Conn,
}

fn say_error(word: &str, error: &Error) {
    match error {
        Error::Server(e) => println!("{word} {} {} {:?}", e.code, e.state, e.message),
        other => println!("{word} {other}"),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Bytes(bytes) if bytes.len() > 200 => {
            format!("{} bytes, checksum {}", bytes.len(), crc32fast::hash(bytes))
        }
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => format!("bytes {text:?}"),
            Err(_) => format!("bytes {bytes:?}"),
        },
        other => format!("{other:?}"),
    }
}

fn line(row: &Row) -> String {
    let values: Vec<String> = (0..row.len()).map(|i| row.as_ref(i).map_or("?".to_string(), shown)).collect();
    values.join(" | ")
}

fn say_columns(columns: &[mysql_async::Column]) {
    // depend on the server's plan: these flags, and the decimals of MIN and MAX of strings
    let planned = ColumnFlags::BINARY_FLAG | ColumnFlags::NO_DEFAULT_VALUE_FLAG | ColumnFlags::NUM_FLAG;
    for c in columns {
        let text = matches!(
            c.column_type(),
            ColumnType::MYSQL_TYPE_VAR_STRING | ColumnType::MYSQL_TYPE_STRING | ColumnType::MYSQL_TYPE_BLOB
        );
        let decimals = if text { "-".to_string() } else { c.decimals().to_string() };
        println!(
            "column {} {:?} {} {} {:?} {} {}.{}.{}",
            c.name_str(),
            c.column_type(),
            c.column_length(),
            c.character_set(),
            c.flags() & !planned,
            decimals,
            c.schema_str(),
            c.table_str(),
            c.org_name_str()
        );
    }
}

async fn say_results<'a, 't, P: Protocol>(mut result: QueryResult<'a, 't, P>) -> Result<(), Error> {
    while !result.is_empty() {
        say_columns(result.columns_ref());
        let rows: Vec<Row> = result.collect().await?;
        for row in &rows {
            println!("row {}", line(row));
        }
        println!("rows {}", rows.len());
    }
    println!(
        "ok affected {} id {:?} warnings {} info {:?}",
        result.affected_rows(),
        result.last_insert_id(),
        result.warnings(),
        result.info()
    );
    Ok(())
}

fn value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::NULL,
        serde_json::Value::Number(n) => Value::Int(n.as_i64().expect("a whole number")),
        serde_json::Value::String(s) => Value::Bytes(s.clone().into_bytes()),
        other => panic!("no parameter: {other}"),
    }
}

fn positional(json: &serde_json::Value) -> Params {
    Params::Positional(json.as_array().expect("an array").iter().map(value).collect())
}

async fn await_list(other: &mut Conn, condition: &str, wanted: bool) -> Result<(), Error> {
    let sql = format!(
        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND {condition}"
    );
    loop {
        let n: Option<i64> = other.query_first(&sql).await?;
        if (n.expect("a count") > 0) == wanted {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

impl Client {
    async fn query(&mut self, sql: &str) -> Result<(), Error> {
        say_results(self.conn.query_iter(sql).await?).await
    }

    async fn prepared(&mut self, parameters: &serde_json::Value, sql: &str) -> Result<(), Error> {
        let statement = self.conn.prep(sql).await?;
        for _ in 0..if sql.starts_with("SELECT") { 2 } else { 1 } {
            say_results(self.conn.exec_iter(&statement, positional(parameters)).await?).await?;
        }
        self.conn.close(statement).await
    }

    async fn stream(&mut self, sql: &str) -> Result<(), Error> {
        let mut result = self.conn.query_iter(sql).await?;
        let (mut rows, mut sum) = (0, crc32fast::Hasher::new());
        while let Some(row) = result.next().await? {
            let text = line(&row);
            if rows < 2 {
                println!("row {text}");
            }
            sum.update(text.as_bytes());
            rows += 1;
        }
        println!("rows {rows} checksum {}", sum.finalize());
        Ok(())
    }

    async fn hello(&mut self) -> Result<(), Error> {
        let row: Option<(u32, String, Option<String>, String)> =
            self.conn.query_first("SELECT CONNECTION_ID(), VERSION(), DATABASE(), USER()").await?;
        let (id, version, database, user) = row.expect("a row");
        println!(
            "version {version} {:?} id known {} {database:?} {:?}",
            self.conn.server_version(),
            id == self.conn.id(),
            user.split('@').next()
        );
        Ok(())
    }

    async fn value(&mut self, length: usize) -> Result<(), Error> {
        let text: String = "0123456789é😀".chars().cycle().take(length).collect();
        let raw: Vec<u8> = (0..=255).collect();
        self.conn
            .exec_drop("INSERT INTO made (id, body, raw) VALUES (?, ?, ?)", (length, &text, &raw))
            .await?;
        let row: Option<(String, Vec<u8>)> =
            self.conn.exec_first("SELECT body, raw FROM made WHERE id = ?", (length,)).await?;
        let (read_text, read_raw) = row.expect("a row");
        println!("same {} {} checksum {}", read_text == text, read_raw == raw, crc32fast::hash(read_text.as_bytes()));
        Ok(())
    }

    async fn call(&mut self, name: &str) -> Result<(), Error> {
        if name == "takes_and_gives" {
            self.query("SET @b = 2").await?;
            self.query("CALL takes_and_gives(40, @b, @c)").await?;
            return self.query("SELECT @b, @c").await;
        }
        self.query(&format!("CALL {name}()")).await?;
        let statement = self.conn.prep(format!("CALL {name}()")).await?;
        say_results(self.conn.exec_iter(&statement, ()).await?).await
    }

    async fn reconnect(&mut self) -> Result<(), Error> {
        let fresh = Conn::new(self.opts.clone()).await?;
        // a lost one cannot be left
        let _ = std::mem::replace(&mut self.conn, fresh).disconnect().await;
        Ok(())
    }

    async fn killquery(&mut self, sql: &str) -> Result<(), Error> {
        let (opts, id) = (self.opts.clone(), self.conn.id());
        let end = tokio::spawn(async move {
            let mut other = Conn::new(opts).await?;
            // not by its id: through the proxy others may run it
            await_list(&mut other, "INFO LIKE '%a.seconds%b.n%c.n%'", true).await?;
            other.query_drop(format!("KILL QUERY {id}")).await?;
            other.disconnect().await
        });
        let killed = self.conn.query_drop(sql).await;
        end.await.expect("the other connection")?;
        killed
    }

    async fn kill(&mut self) -> Result<(), Error> {
        let mut other = Conn::new(self.opts.clone()).await?;
        let id = self.conn.id();
        other.query_drop(format!("KILL {id}")).await?;
        await_list(&mut other, &format!("ID = {id}"), false).await?;
        other.disconnect().await?;
        if let Err(error) = self.query("SELECT 'nobody is there'").await {
            say_error("lost", &error);
        }
        self.reconnect().await
    }

    async fn step(&mut self, verb: &str, parameters: &serde_json::Value, rest: &str) -> Result<(), End> {
        match verb {
            "hello" => self.hello().await?,
            "query" => self.query(rest).await?,
            "multi" => {
                self.query(rest).await?;
                // an error behind the first result comes with the next command
                self.conn.ping().await?
            }
            "args" | "prepared" => self.prepared(parameters, rest).await?,
            "many" => {
                let all: Vec<Params> = parameters.as_array().expect("an array").iter().map(positional).collect();
                self.conn.exec_batch(rest, all).await?;
                println!("ok affected {} id {:?}", self.conn.affected_rows(), self.conn.last_insert_id());
            }
            "stream" => self.stream(rest).await?,
            "call" => self.call(rest).await?,
            "begin" => {
                // one of the driver would borrow the connection
                self.conn.query_drop("START TRANSACTION").await?
            }
            "commit" => self.conn.query_drop("COMMIT").await?,
            "rollback" => self.conn.query_drop("ROLLBACK").await?,
            "use" => self.conn.query_drop(format!("USE {rest}")).await?,
            "value" => self.value(rest.parse().expect("a number")).await?,
            "ping" => self.conn.ping().await?,
            "reset" => {
                println!("reset {}", self.conn.reset().await?);
                let transaction = self.conn.start_transaction(TxOpts::default()).await?;
                transaction.rollback().await?;
            }
            "reconnect" => self.reconnect().await?,
            "killquery" => self.killquery(rest).await?,
            "kill" => self.kill().await?,
            _ => return Err(End::Skipped),
        }
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, scenario, host, port, user, password, database, options @ ..] = arguments.as_slice() else {
        panic!("SCENARIO HOST PORT USER PASSWORD DATABASE [tls]");
    };
    let tls = options.iter().any(|option| option == "tls").then(|| {
        SslOpts::default().with_danger_accept_invalid_certs(true).with_danger_skip_domain_validation(true)
    });
    let opts: Opts = OptsBuilder::default()
        .ip_or_hostname(host)
        .tcp_port(port.parse().expect("a port"))
        .user(Some(user))
        .pass(Some(password))
        .db_name(Some(database))
        .prefer_socket(Some(false))
        .ssl_opts(tls)
        .into();
    let mut client = Client { conn: Conn::new(opts.clone()).await?, opts };
    for raw in std::fs::read_to_string(scenario).expect("the scenario").lines() {
        let text = raw.trim().replace("{db}", database);
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (head, mut rest) = text.split_once(' ').unwrap_or((&text, ""));
        let verb = head.split(['!', '/']).next().expect("a verb");
        let mut parameters = serde_json::Value::Null;
        if ["args", "prepared", "many"].contains(&verb) {
            let (json, sql) = rest.split_once(" | ").expect("parameters");
            parameters = serde_json::from_str(json).expect("JSON");
            rest = sql;
        }
        println!("> {text}");
        match client.step(verb, &parameters, rest).await {
            Ok(()) => {}
            Err(End::Skipped) => println!("skipped"),
            Err(End::Failed(error)) => say_error("error", &error),
        }
    }
    client.conn.disconnect().await
}
