// Command worker runs the jobs of a distributed deployment; any number may run. "worker health"
// checks the one on this host.
package main

import (
	"os"

	"github.com/edgeposture/edgeposture/internal/app"
)

func main() {
	os.Exit(app.Run(app.Role{Worker: true}, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
