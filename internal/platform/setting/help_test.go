package setting

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

func TestMain(m *testing.M) {
	if os.Getenv(writerEnv) != "" {
		os.Exit(writer())
	}
	goleak.VerifyTestMain(m)
}

func testKey(t testing.TB, fill byte) secret.Key {
	t.Helper()
	k, err := secret.NewKey(bytes.NewReader(bytes.Repeat([]byte{fill}, 32)))
	require.NoError(t, err)
	return k
}

func overlay(t testing.TB, env Environment) *Overlay {
	t.Helper()
	return New(Options{Path: filepath.Join(t.TempDir(), "data", "settings.json"), Key: testKey(t, 7), Environment: env, Random: rand.Reader,
		Numbers: &notes{}})
}

func put(t testing.TB, o *Overlay, values map[string]any) (Values, error) {
	t.Helper()
	raw, err := json.Marshal(values)
	require.NoError(t, err)
	return o.Change(t.Context(), raw)
}

// sample gives a good value of each key, and another one; secrets are canaries.
func sample(d Definition) (one, two string) {
	switch d.Key {
	case NotifyThreshold, TicketFrom:
		return "high", "low"
	case TicketKind:
		return "github", "jira"
	case TicketClose:
		return "true", "false"
	case GitHubRepository:
		return "owner/one.name", "an-owner/two"
	case JiraProject:
		return "SEC", "OPS_2"
	case AIProvider:
		return "local", "hosted_a"
	case AWSAccountID:
		return "123456789012", "210987654321"
	case AWSRegion:
		return "eu-central-1", "us-west-2"
	case AIModel, SearchUsername, JiraEmail, JiraIssueType:
		return "name-number-one", "name-number-two"
	case LocalModelHost, SearchURL, HECURL, GitHubURL, JiraURL:
		return "https://one.example:9200/" + string(d.Key), "https://two.example/" + string(d.Key)
	}
	if slices.Contains(channelAddresses(), d.Key) {
		return "https://hooks.example/canary/" + string(d.Key) + "/1?sig=canary", "https://hooks.example/canary/" + string(d.Key) + "/2"
	}
	return "canary-" + string(d.Key) + "-one-0001", "canary-" + string(d.Key) + "-two-0002"
}

func channelAddresses() []Key {
	var out []Key
	for _, d := range channelDefinitions() {
		if d.For == "" {
			out = append(out, d.Key)
		}
	}
	return out
}

func everything(second bool) map[string]any {
	out := map[string]any{}
	for _, d := range Definitions() {
		one, two := sample(d)
		if out[string(d.Key)] = one; second {
			out[string(d.Key)] = two
		}
	}
	return out
}

// safe fails when a text has any part of a secret but its last four characters.
func safe(t testing.TB, shown string) {
	t.Helper()
	require.NotContains(t, shown, "canary")
	require.NotContains(t, shown, "hooks.example")
}

func problemOf(t testing.TB, err error) *posture.Problem {
	t.Helper()
	var p *posture.Problem
	require.ErrorAs(t, err, &p)
	safe(t, p.Detail)
	safe(t, fmt.Sprintf("%v %+v", err, *p))
	require.NotContains(t, p.Detail, "/tmp")
	require.NotContains(t, p.Detail, "\n")
	return p
}

func secretOf(text string) secret.Text { return secret.New(text) }

// notes are the numbers of the settings in memory.
type notes struct{ number atomic.Int64 }

func (n *notes) SettingsNumber(context.Context) (int64, error) { return n.number.Load(), nil }

func (n *notes) NoteSettingsNumber(_ context.Context, number int64) error {
	n.number.Store(max(n.number.Load(), number))
	return nil
}
