// Command edgeposture is the command line and the tool server. It talks to a running service
// (--server), or opens the whole system while it runs.
package main

import (
	"os"

	"github.com/edgeposture/edgeposture/internal/app/command"
)

func main() {
	os.Exit(command.Main(os.Environ(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
