package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/core/audit"
)

// verifiesAudit adds --audit to verify, which reads the audit log of the service and recomputes its chain.
func (p *program) verifiesAudit(cmd *cobra.Command) *cobra.Command {
	var whole bool
	var noted string
	cmd.Flags().BoolVar(&whole, "audit", false, "verify the hash chain of the service's audit log")
	cmd.Flags().StringVar(&noted, "noted", "", "with --audit: an earlier head of the chain, as `SEQ:HASH`, that must be part of it")
	arguments, otherwise := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if whole {
			return cobra.NoArgs(cmd, args)
		}
		return arguments(cmd, args)
	}
	audits := p.look(func(*cobra.Command, []string) (action, error) {
		var head audit.Head
		if noted != "" {
			var err error
			if head, err = audit.ParseHead(noted); err != nil {
				return nil, usage("--noted: %s; the log of the service and GET /api/audit tell heads", err)
			}
		}
		return func(ctx context.Context, s *session) error { return s.verifyAudit(ctx, head) }, nil
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if whole {
			return audits(cmd, args)
		}
		if noted != "" {
			return usage("--noted goes with --audit")
		}
		return otherwise(cmd, args)
	}
	return cmd
}

func (s *session) verifyAudit(ctx context.Context, noted audit.Head) error {
	head, n, err := s.api.VerifyAudit(ctx, noted)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(map[string]any{"verified": true, "entries": n, "head": head})
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return s.show(raw, func(w io.Writer) {
		line(w, "the audit log holds: %s entries, head %s", strconv.Itoa(n), strconv.FormatInt(head.Seq, 10)+":"+head.Hash)
	})
}
