// The driver in its default settings: defaults DATABASE LOGIN..., LOGIN is USER:PASSWORD:HOST:PORT. One line of output for
// each login: the answer of a SELECT and the server's word for TLS, or the error.
package main

import (
	"database/sql"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/go-sql-driver/mysql"
)

func answers(login, database string) (string, error) {
	parts := strings.Split(login, ":")
	db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s:%s)/%s", parts[0], parts[1], parts[2], parts[3], database))
	if err != nil {
		return "", err
	}
	defer db.Close()
	var answer, name, tls string
	if err := db.QueryRow("SELECT 6 * 7").Scan(&answer); err != nil {
		return "", err
	}
	err = db.QueryRow("SHOW SESSION STATUS LIKE 'Ssl_version'").Scan(&name, &tls)
	return answer + " " + tls, err
}

func main() {
	// what the driver says of failed logins is in its errors too
	if err := mysql.SetLogger(log.New(io.Discard, "", 0)); err != nil {
		panic(err)
	}
	for _, login := range os.Args[2:] {
		answer, err := answers(login, os.Args[1])
		if err != nil {
			answer = "error " + strings.Join(strings.Fields(err.Error()), " ")
		}
		fmt.Println(answer)
	}
}
