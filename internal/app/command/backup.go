package command

import (
	"context"
	"io"
	"net/url"
	"strconv"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/core/change"
)

func (p *program) verify() *cobra.Command {
	var key string
	var replay bool
	cmd := &cobra.Command{Use: "verify [FILE|BUNDLE|latest]",
		Short: "Verify an evidence file, a backup bundle or the audit log", Args: cobra.ExactArgs(1),
		Long: "Verify an evidence file, a backup bundle or the audit log.\n\n" +
			"A FILE of evidence is checked offline: nothing else is opened. Of a BUNDLE, named by\n" +
			"its id or latest, the service checks the seal and which changes are still in place.",
		Example: examples("verify evidence.zip --key signing.pem --replay", "verify latest", "verify --audit")}
	cmd.Flags().StringVar(&key, "key", "", "for a FILE: the `KEY` it must be signed with: a fingerprint or a PEM file")
	cmd.Flags().BoolVar(&replay, "replay", false, "for a FILE: run the built-in checks over what was read, and compare the verdicts")
	bundle := p.verifyBundle()
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := uuid.Parse(args[0]); err == nil || args[0] == latest {
			if key != "" || replay {
				return usage("--key and --replay are for files of evidence; %s names a bundle of changes", clipped(args[0]))
			}
			return bundle(cmd, args)
		}
		return p.verifyFile(args[0], key, replay)
	}
	return p.verifiesAudit(cmd)
}

// verifyBundle verifies a bundle of changes.
func (p *program) verifyBundle() func(*cobra.Command, []string) error {
	return p.look(func(_ *cobra.Command, args []string) (action, error) {
		return func(ctx context.Context, s *session) error {
			id, err := s.bundle(ctx, args[0])
			if err != nil {
				return err
			}
			b, err := s.api.Backup(ctx, id)
			if err != nil {
				return err
			}
			if err := s.show(b.Raw, func(w io.Writer) {
				line(w, "bundle %s of %s: %s, applied %s, verified %s", b.Value.ID, instant(b.Value.CreatedAt),
					said(b.Value.State), strconv.Itoa(b.Value.Applied), strconv.Itoa(b.Value.Verified))
			}); err != nil {
				return err
			}
			return standing(b.Value)
		}, nil
	})
}

// bundle returns the id of a bundle that is named by it or as the latest.
func (s *session) bundle(ctx context.Context, name string) (string, error) {
	if name != latest {
		return name, nil
	}
	list, err := s.api.Backups(ctx, url.Values{"limit": {"1"}})
	if err != nil {
		return "", err
	}
	if len(list.Value.Backups) == 0 {
		return "", usage("there is no bundle yet; edgeposture apply makes one")
	}
	return list.Value.Backups[0].ID, nil
}

// standing fails when changes of a bundle are in force that were not read back. For a bundle with a
// broken seal the service returns an error instead.
func standing(b change.Backup) error {
	if b.Applied > b.Verified {
		return ending(exitError, "%d changes of bundle %s are in force and were not read back; compare their values by hand",
			b.Applied-b.Verified, b.ID)
	}
	return nil
}
