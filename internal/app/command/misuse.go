package command

import (
	"strings"

	"github.com/spf13/cobra"
)

// sayMisuse makes a command and those below it say what they take when they are given something else.
func sayMisuse(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		sayMisuse(c)
	}
	if cmd.HasSubCommands() && !cmd.Runnable() { // without RunE, cobra treats an unknown command as a request for help
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	takes := cmd.Args
	if takes == nil {
		takes = cobra.NoArgs
	}
	if cmd.Use == "help [command]" { // cobra's own
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if topic, rest, _ := cmd.Root().Find(args); len(rest) > 0 {
				return noSuchCommand(topic, rest[0])
			}
			return nil
		}
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if takes(cmd, args) == nil {
			return nil
		}
		if cmd.HasSubCommands() {
			return noSuchCommand(cmd, args[0])
		}
		_, name, _ := strings.Cut(cmd.CommandPath(), " ")
		_, wants, _ := strings.Cut(strings.ReplaceAll(cmd.Use, "| "+cmd.Name(), "or"), " ")
		given := clipped(strings.Join(args, " "))
		switch {
		case wants == "":
			return usage("%s takes no argument, and %q is one; `%s --help` lists its flags", name, given, cmd.CommandPath())
		case len(args) == 0:
			return usage("%s needs %s; `%s --help` shows how", name, wants, cmd.CommandPath())
		}
		return usage("%s takes %s, not %q; `%s --help` shows how", name, wants, given, cmd.CommandPath())
	}
}

// noSuchCommand suggests commands with a similar name.
func noSuchCommand(cmd *cobra.Command, name string) error {
	meant := ""
	cmd.SuggestionsMinimumDistance = 2 // edits
	if similar := cmd.SuggestionsFor(name); len(similar) > 0 {
		meant = ", did you mean " + strings.Join(similar, " or ") + "?"
	}
	return usage("there is no command %q%s; `%s --help` lists them", clipped(name), meant, cmd.CommandPath())
}

// sayFlag tells where the flags of a command are listed.
func sayFlag(cmd *cobra.Command, err error) error {
	return usage("%v; `%s --help` lists the flags", err, cmd.CommandPath())
}
