package remedy_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

const tlsPath, botPath = "/zones/z1/tls", "/zones/z1/bots"

type object = map[string]any

// memory is a provider of a few objects whose reads and writes a test can disturb.
type memory struct {
	mu     sync.Mutex
	values map[string]any
	writes []change.Call
	// read comes before the n-th read, write instead of a write.
	read  func(n int, path string) error
	write func(call change.Call) error
	reads int
}

func (m *memory) Live(_ context.Context, path string, _ map[string]string) (any, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	if m.read != nil {
		if err := m.read(m.reads, path); err != nil {
			return nil, err
		}
	}
	return change.Decode(change.Encode(m.values[path]))
}

func (m *memory) Write(_ context.Context, _ gate.Grant, call change.Call) (json.RawMessage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes = append(m.writes, call)
	if m.write != nil {
		return nil, m.write(call)
	}
	return nil, m.take(call)
}

// take does what a write asks for.
func (m *memory) take(call change.Call) error {
	body, err := change.Decode(call.Body)
	if call.Method == http.MethodDelete {
		m.values[call.Path] = nil
		return nil
	}
	if live, is := m.values[call.Path].(object); is && call.Method == http.MethodPatch {
		live = maps.Clone(live)
		maps.Copy(live, body.(object))
		body = live
	}
	m.values[call.Path] = body
	return err
}

func (m *memory) set(path string, value any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[path] = value
}

// bench is an engine over a memory, and what it kept, told and waited for.
type bench struct {
	*memory
	t      *testing.T
	engine *remedy.Engine
	req    remedy.Request
	kept   []change.Bundle
	told   []posture.Progress
	waited []time.Duration
}

// newBench has one check for each proposal, and a finding of each; the first zone allows TLS 1.0.
func newBench(t *testing.T, proposals ...propose.Proposal) *bench {
	t.Helper()
	b := &bench{t: t, memory: &memory{values: map[string]any{tlsPath: object{"min": "1.0", "by": "them"}}}}
	b.engine = &remedy.Engine{Provider: b.memory, Now: noon,
		Sleep:    func(ctx context.Context, d time.Duration) error { b.waited = append(b.waited, d); return ctx.Err() },
		Progress: func(p posture.Progress) { b.told = append(b.told, p) },
		Admit:    func(context.Context) (gate.Grant, error) { return gate.Grant{}, nil },
		Keep: func(_ context.Context, kept change.Bundle) error {
			kept.Entries = slices.Clone(kept.Entries)
			b.kept = append(b.kept, kept)
			return nil
		}}
	b.req = remedy.Request{Account: posture.AccountRef{ID: "acct"}, Now: noon()}
	for i, p := range proposals {
		b.add(string(rune('A'+i)), &propose.Remedy{Risk: change.Low, Propose: p})
	}
	return b
}

func (b *bench) add(id string, r *propose.Remedy) {
	b.engine.Checks = append(b.engine.Checks, check.Check{ID: id, Remedy: r})
	b.req.Findings = append(b.req.Findings, posture.Finding{ID: "f" + id, CheckID: id, Severity: posture.High, Result: posture.Fail,
		Resource: posture.Resource{ID: "z1", ZoneID: "z1", Name: "example.com"}})
}

func (b *bench) plan() change.Kept {
	b.t.Helper()
	kept, err := b.engine.Plan(b.t.Context(), b.req)
	require.NoError(b.t, err)
	b.reads, b.told = 0, nil
	return kept
}

func (b *bench) apply(steps []change.Step) (change.Bundle, error) {
	return b.engine.Apply(b.t.Context(), b.req, change.Bundle{ID: "b", Account: b.req.Account, Entries: remedy.Entries(steps, true)})
}

// minTLS is the remedy of the first check.
func minTLS() propose.Proposal { return propose.Members("PATCH", tlsPath, object{"min": "1.2"}) }

// left is an entry that a run left at a status, with the object as it was before.
func left(status change.Status, edit change.Edit, captured, landed any) change.BundleStep {
	entry := change.BundleStep{Step: change.Step{Change: change.Change{ID: edit.Place.Path, CheckID: "A"}, Edit: edit}, Status: status,
		Captured: change.Encode(captured)}
	if landed != nil {
		entry.Landed = change.Encode(landed)
	}
	return entry
}

func tlsEdit() change.Edit {
	place := change.Place{Path: tlsPath}
	return propose.Patch("PATCH", place, tlsPath, object{"min": "1.0"}, object{"min": "1.2"})
}

// gateError is what the client gives when a request did not leave.
func gateError(t *testing.T) error {
	t.Helper()
	client, err := cloudflare.New(cloudflare.Options{BaseURL: "http://sim.test", Token: secret.New("t"), Gate: shut{}, Now: noon,
		Sleep: pause})
	require.NoError(t, err)
	_, err = client.Live(t.Context(), tlsPath, nil)
	require.ErrorAs(t, err, new(*cloudflare.GateError))
	return err
}

type shut struct{}

func (shut) Enter(context.Context) (func(cloudflare.Answer), error) { return nil, errShut() }

func errShut() error { return errors.New("the budget is not there") }
