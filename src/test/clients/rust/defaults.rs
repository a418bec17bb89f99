//! mysql_async in its default settings: defaults DATABASE LOGIN..., LOGIN is USER:PASSWORD:HOST:PORT. One line of output for
//! each login: the answer of a SELECT and the server's word for TLS, or the error.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Opts};

async fn answers(login: &str, database: &str) -> Result<String, Error> {
    let [user, password, host, port] = login.split(':').collect::<Vec<_>>()[..] else {
        panic!("USER:PASSWORD:HOST:PORT");
    };
    let opts = Opts::from_url(&format!("mysql://{user}:{password}@{host}:{port}/{database}"))?;
    let mut conn = Conn::new(opts).await?;
    let answer: Option<String> = conn.query_first("SELECT 6 * 7").await?;
    let tls: Option<(String, String)> = conn.query_first("SHOW SESSION STATUS LIKE 'Ssl_version'").await?;
    conn.disconnect().await?;
    Ok(format!("{} {}", answer.unwrap_or_default(), tls.unwrap_or_default().1))
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    for login in &arguments[2..] {
        match answers(login, &arguments[1]).await {
            Ok(line) => println!("{line}"),
            Err(error) => println!("error {}", error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")),
        }
    }
}
