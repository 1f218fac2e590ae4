package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

const (
	latest   = "latest"
	previous = "previous"
)

// changes says what to do with a comparison.
type changes struct {
	failOn   posture.Severity // "" when nothing fails
	markdown string           // a file, "" for none
}

func (p *program) diff() *cobra.Command {
	var account, failOn string
	var then changes
	var file declarationFlags
	cmd := &cobra.Command{Use: "diff BASE CURRENT | diff -f FILE",
		Short: "Compare two assessments, or a configuration file with the service (-f)",
		Args: func(cmd *cobra.Command, args []string) error {
			if file.path != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(2)(cmd, args)
		},
		Long: "Compare two assessments of one account. BASE and CURRENT are ids,\nlatest, previous (the one before CURRENT, or " +
			"before the latest), or two files\nof `edgeposture export --format json`, which are compared without any service.\n\n" +
			"With -f it shows what edgeposture apply -f FILE would change.",
		Example: examples("diff previous latest --fail-on high", "diff main.json branch.json --markdown comment.md", "diff -f edgeposture.yaml")}
	f := cmd.Flags()
	f.StringVar(&account, "account", "", "id or name of the account of latest and previous")
	f.StringVar(&failOn, "fail-on", "", "exit with 3 when a finding of at least this severity is new or regressed")
	choices(cmd, "fail-on", append(severities(), noSeverity)...)
	f.StringVar(&then.markdown, "markdown", "", "write a pull request comment to `FILE`")
	file.flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if file.path != "" {
			return file.run(p, cmd, true)
		}
		if then.failOn, err = failing(failOn); err != nil {
			return err
		}
		base, current := isFile(args[0]), isFile(args[1])
		if base != current {
			return usage("one of %s and %s is a file and the other is not; name two files or two assessments", clipped(args[0]), clipped(args[1]))
		}
		if base {
			return p.offline(args[0], args[1], then)
		}
		return p.with(cmd.Context(), false, func(ctx context.Context, s *session) error {
			return s.compared(ctx, args[0], args[1], account, then)
		})
	}
	return cmd
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// maxExport bounds an exported file, in bytes, because it is read into memory: one of 100,000 findings has 160 MB.
const maxExport = 256 << 20

func (p *program) offline(base, current string, then changes) error {
	a, err := imported(base)
	if err != nil {
		return err
	}
	b, err := imported(current)
	if err != nil {
		return err
	}
	d, err := drift.Compare(side(a), side(b), nil)
	if err != nil {
		return usage("%s and %s cannot be compared: %s", base, current, err)
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("write the comparison: %w", err)
	}
	return p.differs(d, raw, then)
}

// differs shows a comparison, writes the markdown file, and fails when findings at or above failOn
// are new or regressed.
func (p *program) differs(d drift.Drift, raw []byte, then changes) error {
	if then.markdown != "" {
		if err := written(then.markdown, func(f *os.File) error { return export.WriteDrift(f, d) }); err != nil {
			return err
		}
	}
	if err := p.show(raw, func(w io.Writer) { printDrift(w, d) }); err != nil || then.failOn == "" {
		return err
	}
	n := 0
	for _, e := range slices.Concat(d.New, d.Regressed) {
		if e.Severity.Rank() >= then.failOn.Rank() && e.Exception == "" {
			n++
		}
	}
	if n > 0 {
		return ending(exitFindings, "%s of severity %s or worse since %s; close them, or except the ones that are accepted",
			english.Plural(n, "new or regressed finding", ""), then.failOn, d.Baseline.ID)
	}
	return nil
}

func imported(path string) (export.Imported, error) {
	f, err := os.Open(path) //nolint:gosec // the caller names the file
	if err != nil {
		return export.Imported{}, usage("the file %s cannot be read (%s); name one that this user may read", path, reason(err))
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Size() > maxExport {
		return export.Imported{}, usage("the file %s is larger than %d MiB, which no export should be; compare the assessments by their ids",
			path, maxExport>>20)
	}
	in, err := export.ReadJSON(io.LimitReader(f, maxExport))
	if err != nil {
		return in, usage("%s: %s; export it again with --format json", path, err)
	}
	return in, nil
}

func side(i export.Imported) drift.Side {
	return drift.Side{Assessment: i.Assessment, Checks: i.Checks, Paths: export.Listed(i.Paths), Findings: i.Document().Findings()}
}

func (s *session) compared(ctx context.Context, base, current, account string, then changes) (err error) {
	if current, err = s.named(ctx, current, account, ""); err != nil {
		return err
	}
	if base, err = s.named(ctx, base, account, current); err != nil {
		return err
	}
	d, err := s.api.Diff(ctx, base, current)
	if err != nil {
		return err
	}
	return s.differs(d.Value, d.Raw, then)
}

// named resolves latest and previous to an assessment id. previous is the one before current, or
// before the latest when current is "".
func (s *session) named(ctx context.Context, word, account, current string) (string, error) {
	switch {
	case word == latest, word == previous && current == "":
		a, err := s.api.Latest(ctx, account)
		if err != nil || word == latest {
			return a.Value.ID, err
		}
		return s.api.Before(ctx, a.Value.ID)
	case word == previous:
		return s.api.Before(ctx, current)
	default:
		return word, nil
	}
}

func printDrift(w io.Writer, d drift.Drift) {
	line(w, "from %s to %s: score %s, drift score %d of 100", d.Baseline.ID, d.Current.ID, d.ScoreChange(), d.DriftScore)
	line(w, "%d new, %d resolved, %d regressed, %d improved, %d changed, %d unknown, %d unchanged; %d attack paths appeared, %d disappeared",
		len(d.New), len(d.Resolved), len(d.Regressed), len(d.Improved), len(d.Changed), len(d.Unknown), d.Unchanged, len(d.Paths.Appeared),
		len(d.Paths.Disappeared))
	for _, l := range []struct {
		name    string
		entries []drift.Difference
	}{{"new", d.New}, {"regressed", d.Regressed}, {"unknown", d.Unknown}, {"improved", d.Improved}, {"changed", d.Changed},
		{"resolved", d.Resolved}} {
		listed(w, l.name, l.entries, func(e drift.Difference) string {
			why := ""
			if e.Reason != "" {
				why = " (" + strings.TrimSuffix(e.Reason, ".") + ")"
			}
			return fmt.Sprintf("%s %s %s: %s%s", e.Severity, e.CheckID, e.Resource.Name, e.Message, why)
		})
	}
}
