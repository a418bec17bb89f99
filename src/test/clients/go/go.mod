module fanfold/clients

go 1.21.0

require github.com/go-sql-driver/mysql v1.9.3
