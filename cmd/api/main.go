// Command api serves the HTTP API and the dashboard. Without REDIS_URL and DATABASE_URL it is the
// whole system in one process. "api migrate" brings the database to the newest schema; "api health"
// checks a running process.
package main

import (
	"os"

	"github.com/edgeposture/edgeposture/internal/app"
)

func main() {
	os.Exit(app.Run(app.Role{API: true, Worker: true}, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
