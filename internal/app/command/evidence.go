package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
)

func (p *program) evidence() *cobra.Command {
	var assessment, account, target, file string
	cmd := &cobra.Command{Use: "evidence", Short: "Write an assessment with everything it rests on as one signed file", Args: cobra.NoArgs,
		Example: examples("evidence --account prod --file evidence.zip")}
	f := cmd.Flags()
	f.StringVar(&assessment, "assessment", "", "`ID` of the assessment; default: the latest")
	f.StringVar(&account, "account", "", "id or name of an account, for its latest assessment")
	p.fileFlags(f, &target, &file, "to write; - is stdout")
	cmd.RunE = p.look(func(*cobra.Command, []string) (action, error) {
		p.fileOf(target, &file)
		if p.shown && file == "" {
			return nil, errNoText
		}
		return func(ctx context.Context, s *session) error { return s.proven(ctx, assessment, account, file) }, nil
	})
	return cmd
}

func (s *session) proven(ctx context.Context, assessment, account, file string) error {
	if assessment == "" {
		newest, err := s.api.Latest(ctx, account)
		if err != nil {
			return err
		}
		assessment = newest.Value.ID
	}
	what := fmt.Sprintf("evidence of assessment %s; edgeposture verify %s checks it", assessment, file)
	return s.saved(file, what, func(to io.Writer) (int64, error) { return s.api.Evidence(ctx, assessment, to) })
}

// verifyFile verifies an evidence bundle offline.
func (p *program) verifyFile(path, key string, replay bool) error {
	o := evidence.Options{}
	if key != "" {
		var err error
		if o.Fingerprint, err = fingerprintOf(key); err != nil {
			return err
		}
	}
	again := &replayed{}
	if replay {
		again.watch(&o)
	}
	f, err := os.Open(path) //nolint:gosec // the caller names the file
	if err != nil {
		return usage("%s cannot be read (%s)", path, reason(err))
	}
	defer func() { _ = f.Close() }() // only read
	report, err := evidence.Verify(f, o)
	if bad, ok := errors.AsType[*evidence.InvalidError](err); ok {
		return ending(exitError, "%s is not valid evidence: %s", path, bad)
	}
	if err != nil {
		return err
	}
	answer := struct {
		evidence.Report
		Replay *replayResult `json:"replay,omitempty"`
	}{Report: report}
	if replay {
		if answer.Replay, err = again.judge(report.Manifest); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return p.show(raw, func(w io.Writer) { tell(w, path, report, answer.Replay) })
}

// tell prints what a valid bundle proves, and what it does not.
func tell(w io.Writer, path string, r evidence.Report, again *replayResult) {
	m := r.Manifest
	demo := ""
	if m.Assessment.Demo {
		demo = ", of the built-in demo account (a simulated account)"
	}
	line(w, "%s is valid evidence: assessment %s of %s (%s), completed %s%s", path, m.Assessment.ID, m.Assessment.Account.Name,
		m.Assessment.Account.ID, instant(m.Assessment.CompletedAt), demo)
	line(w, "%s findings in %s parts, %s bytes, tree root %s", strconv.Itoa(m.Findings), strconv.Itoa(len(m.Parts)),
		strconv.FormatInt(r.Bytes, 10), m.Tree.Root)
	for _, miss := range []struct {
		state evidence.State
		what  string
	}{{m.Saved.State, "a digest of what was saved"}, {m.Policy, "the thresholds and the request"}, {m.Sections, "what the run read"}} {
		if miss.state == evidence.NotKept {
			line(w, "not in it, because it was no longer kept: %s", miss.what)
		} else if miss.state != evidence.Included {
			line(w, "not in it, because the version that made the assessment did not record it: %s", miss.what)
		}
	}
	if again != nil {
		again.tell(w)
	}
	if r.Trusted {
		line(w, "signed with the key named: %s", m.Key.Fingerprint)
		return
	}
	line(w, "signed with the key inside the bundle, %s", m.Key.Fingerprint)
	line(w, "anybody can sign with a key of their own: compare this fingerprint with GET /api/evidence/key of the service you trust, or "+
		"name it with --key")
}

// fingerprintOf parses a fingerprint, or reads a file with a public key.
func fingerprintOf(key string) (string, error) {
	if regexp.MustCompile(`^SHA256:[0-9a-f]{64}$`).MatchString(key) {
		return key, nil
	}
	raw, err := readFile(key, maxSecret)
	if err != nil {
		return "", usage("--key %s is neither a fingerprint (SHA256: and 64 digits) nor a file that can be read", clipped(key))
	}
	k, err := evidence.ParsePEM(raw)
	if err != nil {
		return "", usage("--key %s: %s", clipped(key), err)
	}
	return k.Fingerprint(), nil
}
