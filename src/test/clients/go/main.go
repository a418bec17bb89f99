// go-sql-driver/mysql: main MODE SCENARIO HOST PORT USER PASSWORD DATABASE [tls]
//
// MODE is "text", where parameters are put into the text by the driver, or "prepared".
package main

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

var errSkipped = errors.New("skipped")

type client struct {
	config   *mysql.Config
	database string
	db       *sql.DB
	conn     *sql.Conn
	tx       *sql.Tx
}

// Those of a connection and of a transaction.
type runner interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	PrepareContext(context.Context, string) (*sql.Stmt, error)
}

var ctx = context.Background()

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		os.Exit(1)
	}
}

func (c *client) connect() error {
	connector, err := mysql.NewConnector(c.config)
	if err != nil {
		return err
	}
	c.db = sql.OpenDB(connector)
	c.conn, err = c.db.Conn(ctx)
	return err
}

func (c *client) close() {
	c.conn.Close()
	c.db.Close()
}

func (c *client) runner() runner {
	if c.tx != nil {
		return c.tx
	}
	return c.conn
}

func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return "nil"
	case []byte:
		if len(v) > 200 {
			return fmt.Sprintf("%d bytes, checksum %d", len(v), crc32.ChecksumIEEE(v))
		}
		return fmt.Sprintf("bytes %q", v)
	case string:
		if len(v) > 200 {
			return fmt.Sprintf("string of %d, checksum %d", len(v), crc32.ChecksumIEEE([]byte(v)))
		}
		return fmt.Sprintf("string %q", v)
	case time.Time:
		return "time " + v.Format(time.RFC3339Nano)
	default:
		return fmt.Sprintf("%T %v", v, v)
	}
}

func sayError(word string, err error) {
	var ofServer *mysql.MySQLError
	if errors.As(err, &ofServer) {
		fmt.Printf("%s %d %s %q\n", word, ofServer.Number, ofServer.SQLState[:], ofServer.Message)
	} else {
		fmt.Printf("%s %v bad %v\n", word, err, errors.Is(err, driver.ErrBadConn))
	}
}

func line(rows *sql.Rows, columns int) (string, error) {
	values := make([]any, columns)
	pointers := make([]any, columns)
	for i := range values {
		pointers[i] = &values[i]
	}
	if err := rows.Scan(pointers...); err != nil {
		return "", err
	}
	texts := make([]string, columns)
	for i, value := range values {
		texts[i] = shown(value)
	}
	return strings.Join(texts, " | "), nil
}

// answer writes down all results.
func answer(rows *sql.Rows) error {
	defer rows.Close()
	for {
		types, err := rows.ColumnTypes()
		if err != nil {
			return err
		}
		for _, t := range types {
			nullable, known := t.Nullable()
			precision, scale, exact := t.DecimalSize()
			fmt.Println("column", t.Name(), t.DatabaseTypeName(), t.ScanType(), nullable, known, precision, scale, exact)
		}
		count := 0
		for rows.Next() {
			text, err := line(rows, len(types))
			if err != nil {
				return err
			}
			fmt.Println("row", text)
			count++
		}
		if err := rows.Err(); err != nil {
			return err
		}
		fmt.Println("rows", count)
		if !rows.NextResultSet() {
			return rows.Err()
		}
	}
}

var reads = regexp.MustCompile(`^(?i)\s*(SELECT|SELEC|SHOW|CALL)\b`)

func (c *client) run(statement string, parameters []any) error {
	if reads.MatchString(statement) {
		rows, err := c.runner().QueryContext(ctx, statement, parameters...)
		if err != nil {
			return err
		}
		return answer(rows)
	}
	result, err := c.runner().ExecContext(ctx, statement, parameters...)
	if err != nil {
		return err
	}
	return sayResult(result)
}

func sayResult(result sql.Result) error {
	affected, err := result.RowsAffected()
	if err != nil {
		return err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return err
	}
	fmt.Println("ok affected", affected, "id", id)
	return nil
}

func (c *client) prepared(statement string, parameters []any) error {
	prepared, err := c.runner().PrepareContext(ctx, statement)
	if err != nil {
		return err
	}
	defer prepared.Close()
	for range 2 {
		if !reads.MatchString(statement) {
			result, err := prepared.ExecContext(ctx, parameters...)
			if err != nil {
				return err
			}
			return sayResult(result)
		}
		rows, err := prepared.QueryContext(ctx, parameters...)
		if err != nil {
			return err
		}
		if err := answer(rows); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) stream(statement string) error {
	rows, err := c.runner().QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	count := 0
	for rows.Next() {
		text, err := line(rows, len(columns))
		if err != nil {
			return err
		}
		if count < 2 {
			fmt.Println("row", text)
		}
		fmt.Fprint(sum, text)
		count++
	}
	fmt.Println("rows", count, "checksum", sum.Sum32())
	return rows.Err()
}

func (c *client) hello() error {
	var id, version, database, user string
	row := c.conn.QueryRowContext(ctx, "SELECT CONNECTION_ID() > 0, VERSION(), DATABASE(), USER()")
	if err := row.Scan(&id, &version, &database, &user); err != nil {
		return err
	}
	fmt.Println("version", version, "id", id, database, strings.Split(user, "@")[0])
	return nil
}

func (c *client) value(length int) error {
	text := string([]rune(strings.Repeat("0123456789é😀", length/12+1))[:length])
	raw := make([]byte, 256)
	for i := range raw {
		raw[i] = byte(i)
	}
	if _, err := c.conn.ExecContext(ctx, "INSERT INTO made (id, body, raw) VALUES (?, ?, ?)", length, text, raw); err != nil {
		return err
	}
	var readText string
	var readRaw []byte
	row := c.conn.QueryRowContext(ctx, "SELECT body, raw FROM made WHERE id = ?", length)
	if err := row.Scan(&readText, &readRaw); err != nil {
		return err
	}
	fmt.Println("same", readText == text, string(readRaw) == string(raw), shown(readText), shown(readRaw))
	return nil
}

func awaitList(other *sql.DB, condition string, wanted bool) error {
	for {
		var n int
		row := other.QueryRow("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND " + condition)
		if err := row.Scan(&n); err != nil {
			return err
		}
		if n > 0 == wanted {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (c *client) other() (*sql.DB, int, error) {
	var id int
	if err := c.conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		return nil, 0, err
	}
	connector, err := mysql.NewConnector(c.config)
	if err != nil {
		return nil, 0, err
	}
	return sql.OpenDB(connector), id, nil
}

func (c *client) killQuery(statement string) error {
	other, id, err := c.other()
	if err != nil {
		return err
	}
	defer other.Close()
	ended := make(chan error)
	go func() {
		rows, err := c.conn.QueryContext(ctx, statement)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
		}
		ended <- err
	}()
	// not by its id: through the proxy others may run it
	if err := awaitList(other, "INFO LIKE '%a.seconds%b.n%c.n%'", true); err != nil {
		return err
	}
	if _, err := other.Exec(fmt.Sprintf("KILL QUERY %d", id)); err != nil {
		return err
	}
	return <-ended
}

func (c *client) kill() error {
	other, id, err := c.other()
	if err != nil {
		return err
	}
	defer other.Close()
	if _, err := other.Exec(fmt.Sprintf("KILL %d", id)); err != nil {
		return err
	}
	if err := awaitList(other, fmt.Sprintf("ID = %d", id), false); err != nil {
		return err
	}
	if err := c.run("SELECT 'nobody is there'", nil); err != nil {
		sayError("lost", err)
	}
	c.close()
	return c.connect()
}

func (c *client) step(verb string, parameters []any, rest string) (err error) {
	switch verb {
	case "hello":
		return c.hello()
	case "query", "args", "multi":
		return c.run(rest, parameters)
	case "prepared":
		return c.prepared(rest, parameters)
	case "many":
		prepared, err := c.conn.PrepareContext(ctx, rest)
		if err != nil {
			return err
		}
		defer prepared.Close()
		for _, each := range parameters {
			result, err := prepared.ExecContext(ctx, each.([]any)...)
			if err != nil {
				return err
			}
			if err := sayResult(result); err != nil {
				return err
			}
		}
		return nil
	case "stream":
		return c.stream(rest)
	case "call":
		if rest == "takes_and_gives" {
			if err := c.run("SET @b = 2", nil); err != nil {
				return err
			}
			if err := c.run("CALL takes_and_gives(40, @b, @c)", nil); err != nil {
				return err
			}
			return c.run("SELECT @b, @c", nil)
		}
		return c.run("CALL "+rest+"()", nil)
	case "begin":
		c.tx, err = c.conn.BeginTx(ctx, nil)
		return err
	case "commit":
		err, c.tx = c.tx.Commit(), nil
		return err
	case "rollback":
		err, c.tx = c.tx.Rollback(), nil
		return err
	case "use":
		_, err := c.conn.ExecContext(ctx, "USE "+rest)
		return err
	case "value":
		var length int
		if _, err := fmt.Sscan(rest, &length); err != nil {
			return err
		}
		return c.value(length)
	case "ping":
		return c.conn.PingContext(ctx)
	case "reconnect":
		c.close()
		return c.connect()
	case "killquery":
		return c.killQuery(rest)
	case "kill":
		return c.kill()
	}
	return errSkipped
}

func main() {
	mode, scenario, arguments := os.Args[1], os.Args[2], os.Args[3:]
	config := mysql.NewConfig()
	config.Net, config.Addr = "tcp", arguments[0]+":"+arguments[1]
	config.User, config.Passwd, config.DBName = arguments[2], arguments[3], arguments[4]
	config.InterpolateParams = mode == "text"
	config.MultiStatements = true
	config.ParseTime = true
	if err := config.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		check(err)
	}
	if len(arguments) > 5 && arguments[5] == "tls" {
		config.TLSConfig = "skip-verify"
	}
	// what the driver says of lost connections is in its errors too
	config.Logger = &mysql.NopLogger{}
	c := &client{config: config, database: arguments[4]}
	check(c.connect())

	file, err := os.Open(scenario)
	check(err)
	defer file.Close()
	grammar := regexp.MustCompile(`^(\w+)!?(?:/\d+)? ?(.*)$`)
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		text := strings.ReplaceAll(strings.TrimSpace(lines.Text()), "{db}", c.database)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		match := grammar.FindStringSubmatch(text)
		verb, rest := match[1], match[2]
		var parameters []any
		if verb == "args" || verb == "prepared" || verb == "many" {
			parts := strings.SplitN(rest, " | ", 2)
			decoder := json.NewDecoder(strings.NewReader(parts[0]))
			decoder.UseNumber()
			check(decoder.Decode(&parameters))
			parameters, rest = whole(parameters), parts[1]
		}
		fmt.Println(">", text)
		if err := c.step(verb, parameters, rest); errors.Is(err, errSkipped) {
			fmt.Println("skipped")
		} else if err != nil {
			sayError("error", err)
		}
	}
	check(lines.Err())
	c.close()
}

// whole makes integers of the numbers, which JSON does not know.
func whole(values []any) []any {
	for i, value := range values {
		switch v := value.(type) {
		case json.Number:
			n, err := v.Int64()
			check(err)
			values[i] = n
		case []any:
			values[i] = whole(v)
		}
	}
	return values
}
