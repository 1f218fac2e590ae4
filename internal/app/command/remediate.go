package command

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// parseInputs parses CHECK.NAME=VALUE. The name may hold dots; the value may hold dots and equal signs.
func parseInputs(all []string) (client.Inputs, error) {
	out := client.Inputs{}
	for _, one := range all {
		left, value, ok := strings.Cut(one, "=")
		check, name, ok2 := strings.Cut(left, ".")
		if !ok || !ok2 || check == "" || name == "" {
			return nil, usage("--input %q is not CHECK.NAME=VALUE; write for example CFL-EMAIL-005.reportsTo=mailto:dmarc@example.com",
				clipped(left))
		}
		if out[check] == nil {
			out[check] = map[string]string{}
		}
		if _, twice := out[check][name]; twice {
			return nil, usage("--input %s.%s is given twice; give it once", check, name)
		}
		out[check][name] = value
	}
	return out, nil
}

func (p *program) plan() *cobra.Command {
	var r client.PlanRequest
	var inputs []string
	var target, file string
	cmd := &cobra.Command{Use: "plan", Short: "Plan changes that close findings; changes nothing", Args: cobra.NoArgs,
		Example: examples("plan --check CFL-SSL-002 --file plan.json", "plan --zone example.com")}
	f := cmd.Flags()
	f.StringVar(&r.AssessmentID, "assessment", "", "`ID` of the assessment; default: the latest")
	f.StringSliceVar(&r.CheckIDs, "check", nil, "plan only for these checks")
	f.StringSliceVar(&r.Zones, "zone", nil, "plan only for these zones")
	f.StringSliceVar(&r.PathIDs, "path", nil, "plan only what breaks these attack paths")
	f.BoolVar(&r.AI, "ai", false, "let the configured language model order and explain the changes")
	f.StringArrayVar(&inputs, "input", nil, "a required value, as `CHECK.NAME=VALUE`; repeatable")
	p.fileFlags(f, &target, &file, "for apply --plan")
	cmd.RunE = p.do(func(*cobra.Command, []string) (_ action, err error) {
		if r.Inputs, err = parseInputs(inputs); err != nil {
			return nil, err
		}
		p.fileOf(target, &file)
		if file == standard {
			p.output, file = outputJSON, ""
		}
		return func(ctx context.Context, s *session) error { return s.planned(ctx, r, file) }, nil
	})
	return cmd
}

func (s *session) planned(ctx context.Context, r client.PlanRequest, file string) error {
	raw, plan, err := s.makePlan(ctx, r)
	if err != nil {
		return err
	}
	if file == "" {
		return s.show(raw, func(w io.Writer) { s.tellPlan(ctx, w, plan) })
	}
	if err := written(file, func(f *os.File) error { _, err := f.Write(append(slices.Clip(raw), '\n')); return err }); err != nil {
		return err
	}
	if !s.quiet {
		s.tellPlan(ctx, s.errs, plan)
	}
	return nil
}

// tellPlan prints a plan and what would follow from it.
func (s *session) tellPlan(ctx context.Context, w io.Writer, plan change.Plan) {
	printPlan(w, plan)
	if len(plan.Changes) == 0 {
		return
	}
	got, err := s.api.WhatIf(ctx, whatif.Trial{AssessmentID: plan.AssessmentID, Changes: []whatif.Proposed{{PlanID: plan.ID}}})
	if err != nil {
		line(w, "what would follow is not known: %s", err)
		return
	}
	e := got.Value
	line(w, "all of it would resolve %s, open or worsen %s, break %s and take the score from %d to %d",
		english.Plural(len(e.Findings.Resolve), "finding", ""), english.Plural(len(e.Findings.Appear)+len(e.Findings.Worsen), "other", ""),
		english.Plural(len(e.Paths.Break), "attack path", ""), e.Score.Before.Value, e.Score.After.Value)
}

func (s *session) makePlan(ctx context.Context, r client.PlanRequest) (json.RawMessage, change.Plan, error) {
	job, err := s.work(ctx, client.MakePlan(r))
	if err != nil {
		return nil, change.Plan{}, err
	}
	plan, err := result[change.Plan](job)
	return job.Result, plan, err
}

func printPlan(w io.Writer, plan change.Plan) {
	line(w, "plan %s of assessment %s: %s, %d by hand, %d skipped; valid until %s", plan.ID, plan.AssessmentID,
		english.Plural(len(plan.Changes), "change", ""),
		len(plan.Manual), len(plan.Skipped), instant(plan.ExpiresAt))
	for _, c := range plan.Changes {
		back := "can be undone"
		if !c.Reversible {
			back = "CANNOT BE UNDONE"
		}
		line(w, "%s %s %s: %s -> %s (risk %s, %s) %s", c.CheckID, c.Operation, c.Resource.Name, clipped(string(c.Before)),
			clipped(string(c.After)), c.Risk, back, c.Caution)
	}
	listed(w, "by hand", plan.Manual, func(m change.Manual) string { return m.CheckID + " " + m.Resource.Name + ": " + m.Fix })
	listed(w, "skipped", plan.Skipped, func(m change.Skipped) string { return m.CheckID + " " + m.Resource.Name + ": " + m.Reason })
	if len(plan.Changes)+len(plan.Manual)+len(plan.Skipped) == 0 {
		line(w, "the assessment has no open finding that fits what was asked for")
	}
}

// consent holds the flags of commands that write to the provider. Tokens come from the environment
// or from files, never from arguments.
type consent struct {
	force, yes                   bool
	tokenFile, providerTokenFile string
}

func (c *consent) flags(cmd *cobra.Command, force string) {
	f := cmd.Flags()
	f.BoolVar(&c.force, "force", false, force)
	f.BoolVar(&c.yes, "yes", false, "do not ask")
	f.StringVar(&c.tokenFile, "token-file", "", "`FILE` with the edit token, - for stdin; default EDGEPOSTURE_EDIT_TOKEN")
	f.StringVar(&c.providerTokenFile, "api-token-file", "",
		"`FILE` with a Cloudflare token that may write, when that of the account only reads")
}

// tokens reads the edit token and the provider token.
func (p *program) tokens(c consent) (edit, provider secret.Text, err error) {
	edit = p.tool.EditToken
	if c.tokenFile != "" {
		if edit, err = p.secretOf(c.tokenFile); err != nil {
			return edit, provider, err
		}
	}
	if edit.IsZero() {
		return edit, provider, ending(exitRefused, "an edit token is needed; set EDGEPOSTURE_EDIT_TOKEN, or name a file with --token-file")
	}
	if c.providerTokenFile != "" {
		provider, err = secretFile(c.providerTokenFile)
	}
	return edit, provider, err
}

// agree asks for confirmation on a terminal, and refuses when nobody can be asked.
func (p *program) agree(c consent, what string) error {
	if c.yes {
		return nil
	}
	if !p.asks || c.tokenFile == standard {
		return usage("nobody can be asked here; look at what would change, then give --yes")
	}
	_, _ = fmt.Fprintf(p.errs, "%s? Type yes: ", clean(what))
	answer, err := bufio.NewReader(p.in).ReadString('\n')
	if err != nil || strings.TrimSpace(answer) != "yes" {
		return usage("not confirmed; nothing was changed")
	}
	return nil
}
