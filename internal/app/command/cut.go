package command

import (
	"context"
	"fmt"
	"io"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
)

func (p *program) cut() *cobra.Command {
	var account, severity string
	var paths []string
	cmd := &cobra.Command{Use: "cut [ASSESSMENT]", Short: "Find the smallest set of changes that breaks the critical attack paths",
		Long: "Find the smallest set of changes that together break all critical attack paths of\n" +
			"an assessment (the latest when absent), or those chosen, and of several such sets\n" +
			"the one with the least risk of breaking something else.",
		Example: examples("cut", "cut latest --account prod --severity high"),
		Args:    cobra.MaximumNArgs(1)}
	f := cmd.Flags()
	f.StringVar(&account, "account", "", "id or name of an account, for its latest assessment")
	f.StringVar(&severity, "severity", "", "break paths of at least this severity")
	choices(cmd, "severity", "critical", "high")
	f.StringArrayVar(&paths, "path", nil, "break only the attack path with this `ID`; repeatable")
	cmd.RunE = p.look(func(_ *cobra.Command, args []string) (action, error) {
		id := latest
		if len(args) > 0 {
			id = args[0]
		}
		return func(ctx context.Context, s *session) error {
			id, err := s.named(ctx, id, account, "")
			if err != nil {
				return err
			}
			got, err := s.api.Cut(ctx, id, severity, paths)
			if err != nil {
				return err
			}
			if got.Value.Of == 0 {
				s.nothing(ctx, "/api/assessments/"+id, "")
			}
			return s.show(got.Raw, func(w io.Writer) { tellCut(w, got.Value) })
		}, nil
	})
	return cmd
}

func tellCut(w io.Writer, c attackpath.Cut) {
	kind := ""
	if c.Severity != "" {
		kind = string(c.Severity) + " "
	}
	if c.Of == 0 {
		line(w, "no %sattack path was found", kind)
		return
	}
	line(w, "%s: %d of %s", english.Plural(len(c.Changes), "change breaks", "changes together break"), c.Paths,
		english.Plural(c.Of, kind+"attack path", ""))
	rows := [][]string{{"CHANGE", "BREAKS", "BY"}}
	for _, p := range c.Changes {
		by := "hand"
		if p.Remediable {
			by = "plan"
		}
		rows = append(rows, []string{p.Change, fmt.Sprint(p.Paths), by})
	}
	if len(c.Changes) > 0 {
		table(w, rows)
	}
	if !c.Exact {
		line(w, "there may be a smaller set, of at least %d changes: the search was ended", c.AtLeast)
	}
	for _, id := range c.Unbroken {
		line(w, "no single change is known to break %s", id)
	}
}
