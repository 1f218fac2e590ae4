package assess

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	admission "github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// workshop is an engine at work on one simulated account, with everybody admitted.
type workshop struct {
	t        testing.TB
	now      func() time.Time
	cloud    *simcloud.Cloud
	provider http.Handler // the cloud, or what was recorded of it
	names    Resolver
	engine   *remedy.Engine
	kept     []change.Bundle
}

func newWorkshop(t testing.TB, spec simcloud.AccountSpec) *workshop {
	t.Helper()
	return newWorkshopOn(t, spec, simNow)
}

// newWorkshopOn is newWorkshop with a clock.
func newWorkshopOn(t testing.TB, spec simcloud.AccountSpec, now func() time.Time) *workshop {
	t.Helper()
	cloud := simcloud.New(simcloud.Options{Seed: 7, Now: now, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{spec}, Tokens: []simcloud.Token{{CanWrite: true}}})
	return newWorkshopAt(t, cloud, cloud, cloud, cloud.Tokens()[0].Secret, now)
}

// newWorkshopAt works on what stands for a simulated account.
func newWorkshopAt(t testing.TB, cloud *simcloud.Cloud, provider http.Handler, names Resolver, token string,
	now func() time.Time) *workshop {
	t.Helper()
	w := &workshop{t: t, now: now, cloud: cloud, provider: provider, names: names}
	client, err := cloudflare.New(cloudflare.Options{BaseURL: "http://sim.test" + simcloud.BasePath,
		Token: secret.New(token), Gate: openGate{}, Transport: direct{provider}, Now: now, Tries: 1,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	require.NoError(t, err)
	admits, err := admission.New(admission.Options{Allowed: true, Secret: secret.New("edit"), Now: now})
	require.NoError(t, err)
	w.engine = &remedy.Engine{Checks: checks.All(), Provider: client, Resolver: names, Now: now,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Admit: func(ctx context.Context) (admission.Grant, error) { return admits.Admit(ctx, secret.New("edit")) },
		Keep:  func(_ context.Context, b change.Bundle) error { w.kept = append(w.kept, b); return nil }}
	return w
}

// assess judges the account by some checks, or by all.
func (w *workshop) assess(ids ...string) (*snapshot.Snapshot, []posture.Finding) {
	w.t.Helper()
	snap := resolved(w.t, w.names, readThrough(w.t, w.cloud, direct{w.provider}, posture.AssessRequest{Checks: ids}, w.now, nil))
	all := slices.DeleteFunc(checks.All(), func(c check.Check) bool { return len(ids) > 0 && !slices.Contains(ids, c.ID) })
	return snap, posture.Findings(check.Run(snap, all, policy.Default()).Findings)
}

// request asks for the findings of some checks to be fixed.
func (w *workshop) request(snap *snapshot.Snapshot, findings []posture.Finding, inputs change.Inputs, ids ...string) remedy.Request {
	r := remedy.Request{Account: posture.AccountRef{ID: snap.Account.ID, Name: snap.Account.Name}, Zones: map[string]string{},
		Policy: policy.Default(), Inputs: inputs, Owner: map[string]string{}, Now: w.now(), TokenID: w.cloud.Tokens()[0].ID}
	for _, z := range snap.Zones {
		r.Zones[z.ID] = z.Plan
	}
	chosen := remedy.Chosen{CheckIDs: ids}
	for _, f := range findings {
		f.ID = posture.FindingID(r.Account.ID, f.CheckID, f.Resource.Type, f.Resource.ID)
		if f.Result == posture.Fail || f.Result == posture.Warning {
			r.Owner[f.ID] = f.CheckID
		}
		if chosen.Has(f) {
			r.Findings = append(r.Findings, f)
		}
	}
	return r
}

// inputsOf are the values a person chooses in these tests, found in the account.
func inputsOf(w *workshop) change.Inputs {
	in := change.Inputs{}
	maps.Copy(in, inputsOfZones(w))
	maps.Copy(in, inputsOfAccount(w))
	return in
}

// TestSweepRemedies holds every remedy of the catalogue against the simulated provider:
// the plan of a planted account has the change, applying it makes the check pass,
// rolling it back leaves the provider byte for byte as it was, and nothing else
// of the account moves in between.
func TestSweepRemedies(t *testing.T) { //nolint:tparallel // the group ends before what is missing is listed
	t.Parallel()
	var mu sync.Mutex
	done := map[string]bool{}
	eachRemedy(t, func(t *testing.T, c check.Check, w *workshop) {
		if closes(t, w, c) {
			mu.Lock()
			defer mu.Unlock()
			done[c.ID] = true
		}
	})
	var missing []string
	for _, c := range covered() {
		if c.Remedy != nil && !done[c.ID] {
			missing = append(missing, c.ID)
		}
	}
	t.Logf("%d remedies shown; not shown: %v", len(done), missing)
	if testing.Short() {
		return
	}
	require.Empty(t, missing, "every remedy of a check with a plant is shown")
	require.GreaterOrEqual(t, len(done), 80)
}

// eachRemedy does something with every planted finding of a check with a remedy, beside each other, and waits for all.
func eachRemedy(t *testing.T, do func(t *testing.T, c check.Check, w *workshop)) {
	t.Helper()
	t.Run("plants", func(t *testing.T) {
		remedied := func(c check.Check) bool { return c.Remedy != nil && c.Remedy.Propose != nil }
		eachPlanted(t, remedied, func(t *testing.T, c check.Check, p simcloud.Plant) { do(t, c, newWorkshop(t, planting(p))) })
	})
}

// eachPlanted does something with every planted finding of the checks that are wanted, beside each other.
func eachPlanted(t *testing.T, wanted func(check.Check) bool, do func(t *testing.T, c check.Check, p simcloud.Plant)) {
	t.Helper()
	for i, p := range simcloud.Plants() {
		for _, id := range foundIn(p) {
			c, known := byID(id)
			if !known || left(i) || !wanted(c) {
				continue
			}
			t.Run(id+"/"+p.Variant, func(t *testing.T) {
				t.Parallel()
				do(t, c, p)
			})
		}
	}
}

// eachRemedied is eachRemedy with the changes made that the plan of the finding has. before is the account as it was;
// what is left to people is left out.
func eachRemedied(t *testing.T, do func(t *testing.T, c check.Check, w *workshop, before *snapshot.Snapshot, kept change.Kept,
	b change.Bundle)) {
	t.Helper()
	eachRemedy(t, func(t *testing.T, c check.Check, w *workshop) {
		before, findings := w.assess()
		r := w.request(before, findings, inputsOf(w), c.ID)
		kept, err := w.engine.Plan(t.Context(), r)
		require.NoError(t, err)
		if len(kept.Steps) == 0 {
			return
		}
		b, err := w.engine.Apply(t.Context(), r, change.Bundle{ID: "b", Account: r.Account, Entries: remedy.Entries(kept.Steps, true)})
		require.NoError(t, err)
		require.Equal(t, change.StateApplied, b.State)
		do(t, c, w, before, kept, b)
	})
}

// closes takes one planted finding through plan, apply and rollback. It tells
// whether there was a change to make: what is left to people has a reason.
func closes(t *testing.T, w *workshop, c check.Check) bool {
	before := w.state()
	// The whole account is read only where the plan may promise to break a path.
	only := []string{c.ID}
	if len(c.Paths) > 0 {
		only = nil
	}
	snap, findings := w.assess(only...)
	r := w.request(snap, findings, inputsOf(w), c.ID)
	require.NotEmpty(t, r.Findings, "the plant makes a finding")
	r.Paths = pathsOf(snap, r.Account.ID, findings)
	kept, err := w.engine.Plan(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, before, w.state(), "a plan changes nothing")
	if len(kept.Steps) == 0 {
		require.Empty(t, kept.Plan.Manual, "the inputs of the test are enough")
		for _, s := range kept.Plan.Skipped {
			require.False(t, s.Compliant, "the remedy of %s sees nothing wrong", c.ID)
			require.NotContains(t, s.Reason, "could not be read")
			t.Log(s.Reason)
		}
		return false
	}
	b, err := w.engine.Apply(t.Context(), r, change.Bundle{ID: "b", Account: r.Account, Entries: remedy.Entries(kept.Steps, true)})
	require.NoError(t, err)
	require.Equal(t, change.StateApplied, b.State, "%s", change.Encode(b.Results()))
	w.only(before, b)
	w.broken(kept)
	_, after := w.assess(c.ID)
	full := true
	for _, f := range kept.Steps {
		for _, g := range after {
			if g.Resource.ID == f.Change.Resource.ID {
				full = full && !slices.Contains([]posture.Result{posture.Fail, posture.Warning, posture.Unknown}, g.Result)
				require.True(t, full || (lessens(c.ID) || outlasts(c.ID)) && g.Result == posture.Warning, "%s %s %s", g.Result, g.Message, g.Reason)
			}
		}
	}
	if !c.Remedy.Reversible {
		return full
	}
	b, err = w.engine.Rollback(t.Context(), b, false)
	require.NoError(t, err)
	require.Equal(t, change.StateRolledBack, b.State, "%s", change.Encode(b.Results()))
	require.Equal(t, before, w.state(), "byte for byte as before")
	return full || c.ID == "CFL-API-003" || waitsOutside(c.ID)
}

// catalogue is built once for all tests; building it takes longer than most of their cases.
var catalogue = sync.OnceValue(func() map[string]check.Check {
	all := map[string]check.Check{}
	for _, c := range checks.All() {
		all[c.ID] = c
	}
	return all
})

func byID(id string) (check.Check, bool) {
	c, is := catalogue()[id]
	return c, is
}

func (w *workshop) state() string { return string(w.cloud.State(w.cloud.Accounts()[0])) }

// pathsOf gives the attack paths of an account, joined with its findings.
func pathsOf(snap *snapshot.Snapshot, accountID string, findings []posture.Finding) []posture.AttackPath {
	verdicts := make([]posture.Verdict, len(findings))
	for i, f := range findings {
		verdicts[i] = posture.Verdict{Rule: &posture.Rule{CheckID: f.CheckID, Severity: f.Severity, Remediable: f.Remediable},
			ID: posture.FindingID(accountID, f.CheckID, f.Resource.Type, f.Resource.ID), Result: f.Result, Resource: &f.Resource}
	}
	return pathsFrom(snap, verdicts)
}

func pathsFrom(snap *snapshot.Snapshot, findings []posture.Verdict) []posture.AttackPath {
	g, nodeOf := graph.Build(snap, findings)
	return attackpath.Find(g, snap, findings, nodeOf)
}

// broken holds the promise of a plan that attack paths vanish against a new run.
func (w *workshop) broken(kept change.Kept) {
	w.t.Helper()
	if len(kept.Plan.PathsRemoved) == 0 {
		return
	}
	snap, findings := w.assess()
	for _, p := range pathsOf(snap, snap.Account.ID, findings) {
		require.NotContains(w.t, kept.Plan.PathsRemoved, p.ID, "the path is still there")
	}
	w.t.Logf("%d attack paths removed", len(kept.Plan.PathsRemoved))
}
