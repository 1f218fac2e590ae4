package command

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

func (p *program) approve() *cobra.Command {
	var c consent
	var note string
	cmd := &cobra.Command{Use: "approve PLAN", Short: "Approve a plan that somebody else asked for",
		Args: cobra.ExactArgs(1),
		Long: "Approve a plan that somebody else asked for, so that it may be applied once,\nwithin the hour. " +
			"Shows the changes first and asks, or needs --yes where\nnobody can be asked. " +
			"It takes the role remediator and, with an API key, another\nvalid key than the one that asked for the plan.",
		Example: examples(`approve ID --note "agreed in CHG-1042"`)}
	f := cmd.Flags()
	f.StringVar(&note, "note", "", "the reason, kept in the audit log")
	f.BoolVar(&c.force, "force", false, "also approve high-risk changes")
	f.BoolVar(&c.yes, "yes", false, "do not ask")
	cmd.RunE = p.look(func(_ *cobra.Command, args []string) (action, error) {
		return func(ctx context.Context, s *session) error {
			plan, err := s.api.Plan(ctx, args[0])
			if err != nil {
				return err
			}
			printPlan(s.errs, plan.Value)
			if err := s.agree(c, "Approve these changes"); err != nil {
				return err
			}
			raw, err := s.api.Approve(ctx, plan.Value.ID, note, c.force)
			if err != nil {
				return err
			}
			return s.show(raw, func(w io.Writer) {
				line(w, "plan %s is approved; edgeposture apply --plan %s applies it", plan.Value.ID, plan.Value.ID)
			})
		}, nil
	})
	return cmd
}
