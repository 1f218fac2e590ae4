package remedy_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// direct carries requests to the simulation without a network. Where the real
// connection would break, so does this one.
type direct struct{ cloud *simcloud.Cloud }

func (d direct) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	defer func() {
		if recover() != nil { // http.ErrAbortHandler: the server drops the connection
			resp, err = nil, os.ErrDeadlineExceeded
		}
	}()
	w := httptest.NewRecorder()
	d.cloud.ServeHTTP(w, r)
	return w.Result(), nil
}

type openBudget struct{}

func (openBudget) Enter(context.Context) (func(cloudflare.Answer), error) {
	return func(cloudflare.Answer) {}, nil
}

func noon() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC) }

// shop is an engine over a simulated account of three zones that allow TLS 1.0.
type shop struct {
	t      *testing.T
	cloud  *simcloud.Cloud
	engine *remedy.Engine
	req    remedy.Request
	kept   []change.Bundle
	admits *gate.Gate
	token  string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	zones := []int{0, 1, 2}
	s := &shop{t: t, token: "edit", cloud: simcloud.New(simcloud.Options{Seed: 5, Now: noon, Limit: simcloud.Limit{Disabled: true},
		Tokens: []simcloud.Token{{CanWrite: true}}, Accounts: []simcloud.AccountSpec{{Plants: []simcloud.PlantRule{{CheckID: "CFL-SSL-002",
			Zones: zones}}}}})}
	client, err := cloudflare.New(cloudflare.Options{BaseURL: "http://sim.test" + simcloud.BasePath,
		Token: secret.New(s.cloud.Tokens()[0].Secret), Gate: openBudget{}, Transport: direct{s.cloud}, Now: noon, Tries: 2, Sleep: pause})
	require.NoError(t, err)
	s.admits, err = gate.New(gate.Options{Allowed: true, Secret: secret.New("edit"), Now: noon})
	require.NoError(t, err)
	s.engine = &remedy.Engine{Checks: checks.All(), Provider: client, Now: noon, Sleep: pause,
		Admit: func(ctx context.Context) (gate.Grant, error) { return s.admits.Admit(ctx, secret.New(s.token)) },
		Keep: func(_ context.Context, b change.Bundle) error {
			b.Entries = slices.Clone(b.Entries)
			s.kept = append(s.kept, b)
			return nil
		}}
	account := s.cloud.Accounts()[0]
	s.req = remedy.Request{Account: posture.AccountRef{ID: account, Name: "Shop"}, Policy: policy.Default(), Owner: map[string]string{},
		Now: noon()}
	for _, z := range s.cloud.ZoneIDs(account) {
		f := posture.Finding{CheckID: "CFL-SSL-002", Severity: posture.High, Result: posture.Fail,
			Resource: posture.Resource{Type: posture.ResourceZone, ID: z, Name: z, ZoneID: z, Zone: z}}
		f.ID = posture.FindingID(account, f.CheckID, f.Resource.Type, z)
		s.req.Findings = append(s.req.Findings, f)
		s.req.Owner[f.ID] = f.CheckID
	}
	return s
}

func pause(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func (s *shop) plan() change.Kept {
	s.t.Helper()
	kept, err := s.engine.Plan(s.t.Context(), s.req)
	require.NoError(s.t, err)
	return kept
}

func (s *shop) bundle(steps []change.Step) change.Bundle {
	return change.Bundle{ID: "b", Account: s.req.Account, Entries: remedy.Entries(steps, true)}
}

func (s *shop) state() string { return string(s.cloud.State(s.req.Account.ID)) }

func statuses(b change.Bundle) (out []change.Status) {
	for _, e := range b.Entries {
		out = append(out, e.Status)
	}
	return out
}

// second limits faults to the writes of the second change.
func second(kept change.Kept) func(method, path string) bool {
	return func(method, path string) bool {
		return method != http.MethodGet && strings.HasSuffix(path, kept.Steps[1].Edit.Do.Path)
	}
}

// TestFaultsOfAWrite breaks the second of three changes in each way a provider can:
// the bundle says what is in force, and nothing is left half done.
func TestFaultsOfAWrite(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		faults  simcloud.Faults
		want    []change.Status
		state   change.State
		says    string
		inForce int
	}{
		{"the answer is lost", simcloud.Faults{RateLose: 1}, []change.Status{change.Applied, change.Applied, change.Applied},
			change.StateApplied, "", 3},
		{"the answer is cut", simcloud.Faults{RateTruncate: 1}, []change.Status{change.Applied, change.Applied, change.Applied},
			change.StateApplied, "", 3},
		{"refused", simcloud.Faults{RateRefuse: 1}, []change.Status{change.Applied, change.Failed, change.Skip}, change.StatePartial, "400", 1},
		{"accepted without effect", simcloud.Faults{RateIgnore: 1}, []change.Status{change.Applied, change.Unknown, change.Skip},
			change.StatePartial, "shows the old value", 1},
		{"500", simcloud.Faults{Rate500: 1}, []change.Status{change.Applied, change.Unknown, change.Skip}, change.StatePartial, "500", 1},
		{"the connection breaks", simcloud.Faults{RateReset: 1}, []change.Status{change.Applied, change.Unknown, change.Skip},
			change.StatePartial, "no usable answer", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			before := s.state()
			kept := s.plan()
			tc.faults.Only = second(kept)
			s.cloud.SetFaults(tc.faults)
			b, err := s.engine.Apply(t.Context(), s.req, s.bundle(kept.Steps))
			require.NoError(t, err)
			require.Equal(t, tc.want, statuses(b), "%s", change.Encode(b.Results()))
			require.Equal(t, tc.state, b.State)
			require.Contains(t, b.Entries[1].Reason, tc.says)
			require.Equal(t, tc.inForce, strings.Count(s.state(), `"1.2"`)-strings.Count(before, `"1.2"`))
			require.Equal(t, b, s.kept[len(s.kept)-1], "what is kept is what came back")
			s.cloud.SetFaults(simcloud.Faults{})
			b, err = s.engine.Rollback(t.Context(), b, false)
			require.NoError(t, err)
			require.Equal(t, change.StateRolledBack, b.State)
			require.Equal(t, before, s.state())
		})
	}
}

// TestBackupComesFirst looks at what was kept when each write reached the provider.
func TestBackupComesFirst(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	kept := s.plan()
	writes := 0
	inner := s.engine.Provider
	s.engine.Provider = watching{inner, func(call change.Call) {
		last := s.kept[len(s.kept)-1]
		i := slices.IndexFunc(last.Entries, func(e change.BundleStep) bool { return e.Edit.Do.Path == call.Path })
		require.Contains(t, []change.Status{change.Writing, change.Restoring}, last.Entries[i].Status)
		require.Contains(t, string(last.Entries[i].Captured), `"1.0"`, "the whole object before")
		writes++
	}}
	b, err := s.engine.Apply(t.Context(), s.req, s.bundle(kept.Steps))
	require.NoError(t, err)
	_, err = s.engine.Rollback(t.Context(), b, false)
	require.NoError(t, err)
	require.Equal(t, 6, writes)
}

type watching struct {
	remedy.Provider
	saw func(change.Call)
}

func (w watching) Write(ctx context.Context, g gate.Grant, c change.Call) (json.RawMessage, error) {
	w.saw(c)
	return w.Provider.Write(ctx, g, c)
}

// TestGateEndsInTheMiddle takes the permission away after the first change.
func TestGateEndsInTheMiddle(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	before := s.state()
	kept := s.plan()
	inner := s.engine.Provider
	s.engine.Provider = watching{inner, func(change.Call) { s.token = "no longer" }}
	b, err := s.engine.Apply(t.Context(), s.req, s.bundle(kept.Steps))
	require.Equal(t, posture.CodeEditScopeDenied, posture.AsProblem(err).Code)
	require.Equal(t, []change.Status{change.Applied, change.Pending, change.Pending}, statuses(b))
	require.Equal(t, change.StatePartial, b.State)
	_, err = s.engine.Rollback(t.Context(), b, false)
	require.Equal(t, posture.CodeEditScopeDenied, posture.AsProblem(err).Code)
	s.token, s.engine.Provider = "edit", inner
	b, err = s.engine.Rollback(t.Context(), b, false)
	require.NoError(t, err)
	require.Equal(t, change.StateRolledBack, b.State)
	require.Equal(t, before, s.state())
}

// TestCancelStopsBetweenChanges cancels while the first change is on its way: that
// one is brought to its end, no other begins.
func TestCancelStopsBetweenChanges(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.engine.Provider = watching{s.engine.Provider, func(change.Call) { cancel() }}
	b, err := s.engine.Apply(ctx, s.req, s.bundle(s.plan().Steps))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []change.Status{change.Applied, change.Pending, change.Pending}, statuses(b))
	require.True(t, b.Entries[0].Verified)
	require.Equal(t, change.StatePartial, s.kept[len(s.kept)-1].State)
}

// TestNothingIsSentWhenNothingIsKept lets the store fail at each keeping in turn.
func TestNothingIsSentWhenNothingIsKept(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		s := newShop(t)
		kept := s.plan()
		calls := 0
		s.engine.Keep = func(context.Context, change.Bundle) error {
			if calls++; calls > n {
				return context.DeadlineExceeded
			}
			return nil
		}
		_, err := s.engine.Apply(t.Context(), s.req, s.bundle(kept.Steps))
		require.Error(t, err)
		require.Len(t, s.cloud.Writes(), max(n-1, 0), "keeping %d fails", n+1)
	}
}

// TestPlanIsReadOnly and complete: three zones, ranked, with stable ids and digest.
func TestPlanIsReadOnly(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first, again := s.plan(), s.plan()
	require.Equal(t, first, again)
	require.Len(t, first.Plan.Changes, 3)
	require.Empty(t, s.cloud.Writes())
	ids := map[string]bool{}
	for i, c := range first.Plan.Changes {
		ids[c.ID] = true
		require.Equal(t, first.Steps[i].Change, c)
		require.True(t, c.Reversible)
		require.NotEmpty(t, c.Caution)
	}
	require.Len(t, ids, 3)
	require.NoError(t, remedy.Fresh(first.Steps, again))
	require.Equal(t, posture.CodePlanStale, posture.AsProblem(remedy.Fresh(first.Steps, remedy.Select(change.Kept{}, nil))).Code)
}

// TestUnreadableIsSkipped denies the read of one zone's settings.
func TestUnreadableIsSkipped(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	zone := s.req.Findings[0].Resource.ID
	s.cloud.SetFaults(simcloud.Faults{Rate500: 1, Only: func(_, path string) bool { return strings.Contains(path, zone) }})
	kept := s.plan()
	require.Len(t, kept.Plan.Changes, 2)
	require.Len(t, kept.Plan.Skipped, 1)
	require.Contains(t, kept.Plan.Skipped[0].Reason, "could not be read")
}

// TestArrange gives a plan orders of all kinds: it keeps exactly its own changes.
func TestArrange(t *testing.T) {
	t.Parallel()
	kept := newShop(t).plan()
	a, b, c := kept.Steps[0].Change.ID, kept.Steps[1].Change.ID, kept.Steps[2].Change.ID
	for _, tc := range []struct{ order, want []string }{
		{nil, []string{a, b, c}}, {[]string{c}, []string{c, a, b}}, {[]string{"invented", c, c, b}, []string{c, b, a}},
		{[]string{c, b, a, a}, []string{c, b, a}},
	} {
		got := change.Kept{Steps: slices.Clone(kept.Steps)}
		remedy.Arrange(&got, tc.order, map[string]string{c: "note", "invented": "x"})
		var ids []string
		for _, s := range got.Plan.Changes {
			ids = append(ids, s.ID)
			if s.ID == c {
				require.Equal(t, "note", s.Rationale)
			}
		}
		require.Equal(t, tc.want, ids)
		require.Equal(t, change.Digest(kept.Steps), change.Digest(got.Steps), "the order is not part of the digest")
	}
}

// TestLiveValueIsReadAgainBeforeEachWrite changes the object of the second change between the
// look that proposed it anew and the write: nobody's work is overwritten.
func TestLiveValueIsReadAgainBeforeEachWrite(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	kept := s.plan()
	theirs := kept.Steps[1].Edit.Place
	s.engine.Provider = &racing{Provider: s.engine.Provider, path: theirs.Path}
	b, err := s.engine.Apply(t.Context(), s.req, s.bundle(kept.Steps))
	require.NoError(t, err)
	require.Equal(t, []change.Status{change.Applied, change.Skip, change.Skip}, statuses(b), b.Entries[2].Reason)
	require.Contains(t, b.Entries[1].Reason, "changed while the plan was applied")
}

// racing shows another value from the second look at a path on, as when somebody else has just changed it.
type racing struct {
	remedy.Provider
	path  string
	looks int
}

func (r *racing) Live(ctx context.Context, path string, header map[string]string) (any, error) {
	live, err := r.Provider.Live(ctx, path, header)
	if path == r.path && err == nil {
		if r.looks++; r.looks > 1 {
			live.(map[string]any)["value"] = "1.1"
		}
	}
	return live, err
}
