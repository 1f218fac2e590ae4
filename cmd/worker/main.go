// Command worker runs jobs of a distributed deployment; any number may run.
package main

import (
	"os"

	"github.com/edgeposture/edgeposture/internal/app"
)

func main() {
	os.Exit(app.Main(app.Role{Worker: true}, os.Environ(), os.Stdout, os.Stderr))
}
