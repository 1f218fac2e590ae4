// Command api serves the HTTP API and the dashboard. Without REDIS_URL and
// DATABASE_URL it is the whole system in one process.
package main

import (
	"os"

	"github.com/edgeposture/edgeposture/internal/app"
)

func main() {
	os.Exit(app.Main(app.Role{API: true, Worker: true}, os.Environ(), os.Stdout, os.Stderr))
}
