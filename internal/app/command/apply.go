package command

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

type applyFlags struct {
	consent
	plan, assessment string
	checks, inputs   []string
}

func (p *program) apply() *cobra.Command {
	var a applyFlags
	var file declarationFlags
	var schema bool
	cmd := &cobra.Command{Use: "apply", Short: "Apply a plan at Cloudflare after a backup, or a configuration file to the service (-f)",
		Args: cobra.NoArgs,
		Long: "Make planned changes at Cloudflare, after a backup. Shows the changes first and\nasks, or needs --yes where nobody can be " +
			"asked. Works only where remediation is\nswitched on (SERVICE_ALLOW_REMEDIATION) and with an edit token.\n\n" +
			"With -f it makes the exceptions, rules of ownership, schedules and thresholds of\n" +
			"the service as a YAML file says, and changes nothing at Cloudflare.",
		Example: examples("apply --plan plan.json", "apply --assessment ID --check CFL-SSL-002 --yes", "apply -f edgeposture.yaml --prune")}
	f := cmd.Flags()
	f.StringVar(&a.plan, "plan", "", "id of a plan, or the `FILE` it was written to, - for stdin")
	f.StringVar(&a.assessment, "assessment", "", "`ID` of an assessment; makes a plan for it and applies that")
	f.StringSliceVar(&a.checks, "check", nil, "ids of the checks to fix")
	f.StringArrayVar(&a.inputs, "input", nil, "a required value, as `CHECK.NAME=VALUE`; repeatable")
	a.flags(cmd, "also make high-risk changes")
	file.flags(cmd)
	f.BoolVar(&schema, "schema", false, "print the JSON schema of the configuration file")
	make := p.do(func(*cobra.Command, []string) (action, error) {
		inputs, err := parseInputs(a.inputs)
		if err != nil {
			return nil, err
		}
		plan := planned{ID: a.plan}
		switch {
		case a.plan != "" && (a.assessment != "" || len(a.checks)+len(a.inputs) > 0):
			return nil, usage("--plan already says which changes; leave out --assessment, --check and --input")
		case a.plan != "":
			if uuid.Validate(a.plan) == nil {
				break // loaded once a service is open
			}
			if plan, err = p.readPlan(a.plan); err != nil {
				return nil, err
			}
		case a.assessment == "" || len(a.checks) == 0:
			return nil, usage("say what to change: --plan FILE or ID, or --assessment ID with --check")
		}
		return func(ctx context.Context, s *session) error { return s.applied(ctx, a, plan, inputs) }, nil
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case schema:
			return p.print(declarationSchema)
		case file.path != "":
			return file.run(p, cmd, false)
		default:
			return make(cmd, args)
		}
	}
	return cmd
}

// maxPlan bounds a plan file, in bytes.
const maxPlan = 64 << 20

// planned names a plan that the service keeps, by its id or by the file that it was written to. The rest of the file is not believed:
// what is shown before anybody agrees is what the service would apply.
type planned struct{ ID, Digest string }

func (p *program) readPlan(path string) (planned, error) {
	raw, path, err := p.read(path, maxPlan)
	if err != nil {
		return planned{}, err
	}
	var plan planned
	if json.Unmarshal(raw, &plan) != nil || uuid.Validate(plan.ID) != nil || plan.Digest == "" {
		return planned{}, usage("%s is not a plan; make one with edgeposture plan --file FILE", path)
	}
	return plan, nil
}

func (s *session) applied(ctx context.Context, a applyFlags, from planned, inputs client.Inputs) error {
	edit, provider, err := s.tokens(a.consent)
	if err != nil {
		return err
	}
	var plan change.Plan
	if from.ID != "" {
		known, err := s.api.Plan(ctx, from.ID)
		if err != nil {
			return err
		}
		if plan = known.Value; from.Digest != "" && from.Digest != plan.Digest {
			return usage("%s is not as the service keeps plan %s; make a new plan, or name this one by its id", a.plan, from.ID)
		}
	} else if _, plan, err = s.makePlan(ctx, client.PlanRequest{AssessmentID: a.assessment, CheckIDs: a.checks, Inputs: inputs,
		APIToken: provider}); err != nil {
		return err
	}
	if len(plan.Changes) == 0 {
		return usage("plan %s has no change the service can make; edgeposture plan says why", plan.ID)
	}
	printPlan(s.errs, plan)
	if err := s.agree(a.consent, "Make these changes"); err != nil {
		return err
	}
	var checks []string
	for _, c := range plan.Changes {
		if !slices.Contains(checks, c.CheckID) {
			checks = append(checks, c.CheckID)
		}
	}
	job, err := s.work(ctx, client.Apply(client.ApplyRequest{AssessmentID: plan.AssessmentID, CheckIDs: checks, PlanID: plan.ID,
		Force: a.force, Token: edit, APIToken: provider}))
	if err != nil {
		return err
	}
	return s.changed(job, change.StateApplied)
}

// changed reports what apply or rollback did, and fails when the bundle is not in the wanted state, or
// one of only is not rolled back.
func (s *session) changed(job posture.Job, want change.State, only ...string) error {
	got, err := result[change.Execution](job)
	if err != nil {
		return err
	}
	if err := s.show(job.Result, func(w io.Writer) {
		if got.State == change.StateNothing {
			line(w, "nothing was changed")
		} else {
			line(w, "bundle %s is %s: %d of %d changes in force", got.BundleID, said(got.State), count(got, change.Applied), len(got.Results))
		}
		for _, r := range got.Results {
			line(w, "%s %s %s: %s %s", r.CheckID, r.Operation, r.Resource.Name, said(r.Status), r.Reason)
		}
	}); err != nil {
		return err
	}
	switch {
	case got.State == want:
		return nil
	case got.State == change.StateNothing:
		return ending(exitError, "nothing was changed; the results say why")
	case len(only) == 0 || count(got, change.RolledBack, only...) < len(only):
		return ending(exitError, "not all of it is done: bundle %s is %s, not %s; the results say why", got.BundleID, said(got.State),
			said(want))
	}
	return nil
}

// said writes a state for people.
func said[T ~string](state T) string { return strings.ReplaceAll(string(state), "_", " ") }

// count returns how many changes, of those in only or of all, have a status.
func count(x change.Execution, status change.Status, only ...string) (n int) {
	for _, r := range x.Results {
		if r.Status == status && (len(only) == 0 || slices.Contains(only, r.ChangeID)) {
			n++
		}
	}
	return n
}

func (p *program) rollback() *cobra.Command {
	var c consent
	var only []string
	cmd := &cobra.Command{Use: "rollback BUNDLE|latest", Short: "Undo applied changes from their backup bundle", Args: cobra.ExactArgs(1),
		Example: examples("rollback latest", "rollback ID --change CHANGE")}
	c.flags(cmd, "also overwrite what changed since")
	cmd.Flags().StringSliceVar(&only, "change", nil, "ids of the changes to undo; all of the bundle by default")
	cmd.RunE = p.do(func(_ *cobra.Command, args []string) (action, error) {
		return func(ctx context.Context, s *session) error {
			edit, provider, err := s.tokens(c)
			if err != nil {
				return err
			}
			id, err := s.bundle(ctx, args[0])
			if err != nil {
				return err
			}
			if err := s.agree(c, "Put back bundle "+id); err != nil {
				return err
			}
			job, err := s.work(ctx, client.Rollback(client.RollbackRequest{BundleID: id, ChangeIDs: only, Force: c.force, Token: edit,
				APIToken: provider}))
			if err != nil {
				return err
			}
			return s.changed(job, change.StateRolledBack, only...)
		}, nil
	})
	return cmd
}
