package command

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/client"
	"github.com/edgeposture/edgeposture/internal/posture"
)

type applyFlags struct {
	consent
	plan, assessment string
	checks, inputs   []string
}

func (p *program) apply() *cobra.Command {
	var a applyFlags
	cmd := &cobra.Command{Use: "apply", Short: "Make planned changes at the provider, after a backup", Args: cobra.NoArgs,
		Long: "Make planned changes at the provider, after a backup. Shows the changes first and\nasks, or needs --yes where nobody can be asked. Works only where remediation is\n" +
			"switched on (SERVICE_ALLOW_REMEDIATION) and with an edit token."}
	f := cmd.Flags()
	f.StringVar(&a.plan, "plan", "", "`FILE` of plan --output")
	f.StringVar(&a.assessment, "assessment", "", "`ID` of the assessment; a plan is made first")
	f.StringSliceVar(&a.checks, "check", nil, "checks whose changes are made")
	f.StringArrayVar(&a.inputs, "input", nil, "`CHECK.NAME=VALUE` that a person must choose")
	a.flags(cmd)
	cmd.RunE = p.do(func(*cobra.Command, []string) (action, error) {
		inputs, err := parseInputs(a.inputs)
		if err != nil {
			return nil, err
		}
		var plan *client.Plan
		switch {
		case a.plan != "" && (a.assessment != "" || len(a.checks) > 0):
			return nil, usage("--plan already says which changes; leave out --assessment and --check")
		case a.plan != "":
			if plan, err = readPlan(a.plan); err != nil {
				return nil, err
			}
		case a.assessment == "" || len(a.checks) == 0:
			return nil, usage("say what to change: --plan FILE, or --assessment ID with --check")
		}
		return func(ctx context.Context, s *session) error { return s.applied(ctx, a, plan, inputs) }, nil
	})
	return cmd
}

// maxPlan bounds a plan file, in bytes.
const maxPlan = 64 << 20

func readPlan(path string) (*client.Plan, error) {
	raw, err := readFile(path, maxPlan)
	if err != nil {
		return nil, err
	}
	var plan client.Plan
	if json.Unmarshal(raw, &plan) != nil || plan.ID == "" || plan.AssessmentID == "" || len(plan.Changes) == 0 {
		return nil, usage("the file %s is not a plan with changes; make one with edgeposture plan --output FILE", path)
	}
	return &plan, nil
}

func (s *session) applied(ctx context.Context, a applyFlags, plan *client.Plan, inputs client.Inputs) error {
	edit, provider, err := s.tokens(a.consent)
	if err != nil {
		return err
	}
	if plan == nil {
		_, made, err := s.makePlan(ctx, client.PlanRequest{AssessmentID: a.assessment, CheckIDs: a.checks, Inputs: inputs})
		if err != nil {
			return err
		}
		plan = &made
	}
	if len(plan.Changes) == 0 {
		return usage("plan %s has no change the service can make; edgeposture plan says why", plan.ID)
	}
	shown(s.errs, *plan)
	if err := s.agree(a.consent, "Make these changes"); err != nil {
		return err
	}
	var checks []string
	for _, c := range plan.Changes {
		if !slices.Contains(checks, c.CheckID) {
			checks = append(checks, c.CheckID)
		}
	}
	job, err := s.work(ctx, client.Apply(client.ApplyRequest{AssessmentID: plan.AssessmentID, CheckIDs: checks, PlanID: plan.ID, Force: a.force, Inputs: inputs, Token: edit, APIToken: provider}))
	if err != nil {
		return err
	}
	return s.changed(job)
}

// changed tells what apply and rollback did. A change that is not verified is
// not done.
func (s *session) changed(job posture.Job) error {
	got, err := result[client.Changed](job)
	if err != nil {
		return err
	}
	var open []string
	if err := s.show(job.Result, func(w io.Writer) {
		line(w, "bundle %s: %d changes", got.BundleID, len(got.Results))
		for _, r := range got.Results {
			line(w, "%s %s %s: %s %s", r.CheckID, r.Operation, r.Resource.Name, r.Status, r.Reason)
		}
	}); err != nil {
		return err
	}
	for _, r := range got.Results {
		if !r.Verified {
			open = append(open, r.CheckID+" "+r.Resource.Name+" ("+r.Status+")")
		}
	}
	if len(open) > 0 {
		return ending(exitError, "%d of %d changes are not verified: %s; bundle %s holds what was there before", len(open), len(got.Results), clipped(strings.Join(open, ", ")), got.BundleID)
	}
	return nil
}

func (p *program) rollback() *cobra.Command {
	var c consent
	cmd := &cobra.Command{Use: "rollback BUNDLE", Short: "Put back what a bundle holds", Args: cobra.ExactArgs(1)}
	c.flags(cmd)
	cmd.RunE = p.do(func(_ *cobra.Command, args []string) (action, error) {
		return func(ctx context.Context, s *session) error {
			edit, provider, err := s.tokens(c)
			if err != nil {
				return err
			}
			if err := s.agree(c, "Put back bundle "+args[0]); err != nil {
				return err
			}
			job, err := s.work(ctx, client.Rollback(client.RollbackRequest{BundleID: args[0], Force: c.force, Token: edit, APIToken: provider}))
			if err != nil {
				return err
			}
			return s.changed(job)
		}, nil
	})
	return cmd
}
