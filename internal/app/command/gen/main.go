// Command gen writes the man pages of the command line into a directory.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra/doc"

	"github.com/edgeposture/edgeposture/internal/app/command"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name the directory for the pages")
	}
	if err := os.MkdirAll(args[0], 0o750); err != nil { //nolint:gosec // whoever runs it says where to
		return err
	}
	root := command.Root()
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Title: "EDGEPOSTURE", Section: "1", Source: "Edgeposture"}, args[0])
}
