package assess

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/demo"
	"github.com/edgeposture/edgeposture/internal/provider/record"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

const demoFile = "../../provider/demo/demo.jsonl.gz"

// demoTime is when the demo account is recorded: midnight, so that a date without a time moves by whole days.
func demoTime() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

func simulatedDemo(now func() time.Time) *simcloud.Cloud {
	o := simcloud.Demo()
	o.Now, o.Limit.Disabled = now, true
	return simcloud.New(o)
}

func openDemo(t *testing.T, now func() time.Time) *record.Player {
	t.Helper()
	player, err := demo.Open(now)
	require.NoError(t, err)
	return player
}

// TestDemoIsCommitted records what the simulated demo account answers to a run of everything.
func TestDemoIsCommitted(t *testing.T) {
	cloud := simulatedDemo(demoTime)
	require.Equal(t, []string{demo.AccountID, demo.ReadToken, demo.WriteToken},
		[]string{cloud.Accounts()[0], cloud.Tokens()[0].Secret, cloud.Tokens()[1].Secret})
	recorder := record.NewRecorder(direct{cloud}, simcloud.BasePath)
	names := recorder.Names(cloud)
	snap := resolved(t, names, readThrough(t, cloud, recorder, posture.AssessRequest{Incremental: true}, demoTime, nil))
	// Plans read and ask more.
	w := newWorkshopAt(t, cloud, through{recorder}, names, demo.WriteToken, demoTime)
	in := inputsOf(newWorkshopAt(t, cloud, cloud, cloud, demo.WriteToken, demoTime))
	findings := posture.Findings(check.Run(snap, checks.All(), policy.Default()).Findings)
	for _, c := range checks.All() {
		_, err := w.engine.Plan(t.Context(), w.request(snap, findings, in, c.ID))
		require.NoError(t, err)
	}
	var made bytes.Buffer
	_, err := recorder.Write(&made, "demo", nil, demoTime())
	require.NoError(t, err)
	if *update {
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		require.NoError(t, err)
		_, err = z.Write(made.Bytes())
		require.NoError(t, err)
		require.NoError(t, z.Close())
		require.NoError(t, os.WriteFile(demoFile, packed.Bytes(), 0o600))
	}
	require.True(t, bytes.Equal(made.Bytes(), demoRecord(t)), "run go test ./internal/engine/assess -run TestDemoIsCommitted -update")
}

// through is a provider behind a transport.
type through struct{ next http.RoundTripper }

func (p through) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := p.next.RoundTrip(r)
	if err != nil {
		panic(err)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

func demoRecord(t *testing.T) []byte {
	t.Helper()
	raw, err := os.ReadFile(demoFile)
	require.NoError(t, err)
	require.Less(t, len(raw), 150_000)
	z, err := gzip.NewReader(bytes.NewReader(raw))
	require.NoError(t, err)
	all, err := io.ReadAll(z)
	require.NoError(t, err)
	return all
}

// TestSweepDemoTellsTheSame: whenever it is looked at, the demo account is read with as many requests as the simulated one
// and every section, hence every verdict, path and export, is the same.
func TestSweepDemoTellsTheSame(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{demoTime(), time.Date(2026, 11, 24, 16, 1, 2, 3, time.UTC), time.Date(2027, 3, 1, 23, 59, 0, 0, time.UTC),
		endOfSettings().Add(300 * 24 * time.Hour)} {
		now, midnight := func() time.Time { return at }, func() time.Time { return at.Truncate(24 * time.Hour) }
		cloud, player := simulatedDemo(midnight), openDemo(t, now)
		for _, req := range []posture.AssessRequest{{}, {Profile: posture.ProfileCore}, {Checks: []string{"CFL-SSL-001", "CFL-SSL-006"}}} {
			cloud.ResetRequests()
			var asked atomic.Int64
			counting := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				player.ServeHTTP(w, r)
			})
			want := resolved(t, cloud, readThrough(t, cloud, unlisted(t, cloud, now), req, now, nil))
			got := resolved(t, player, readThrough(t, cloud, direct{counting}, req, now, nil))
			require.EqualValues(t, cloud.Requests().Total, asked.Load())
			require.Empty(t, apart(want, got), "%s", at)
			require.Equal(t, want.Digest(), got.Digest(), "%s", at)
		}
	}
}

// TestDemoIsTheSameAllDay: who starts the demo twice on one day finds nothing changed.
func TestDemoIsTheSameAllDay(t *testing.T) {
	t.Parallel()
	seen := func(at time.Time) (out []string) {
		now := func() time.Time { return at }
		snap := readThrough(t, simulatedDemo(now), direct{openDemo(t, now)}, posture.AssessRequest{}, now, nil)
		for _, f := range posture.Findings(check.Run(snap, checks.All(), policy.Default()).Findings) {
			f.FirstSeen, f.LastSeen = time.Time{}, time.Time{}
			out = append(out, string(change.Encode(f)))
		}
		return out
	}
	day := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	require.Equal(t, seen(day), seen(day.Add(24*time.Hour-time.Second)))
}

// TestSweepDemoTakesEveryRemedy plans, applies and rolls back what closes each finding of the demo account that has a remedy.
// What the simulated account takes the demo takes, and it is as before afterwards.
func TestSweepDemoTakesEveryRemedy(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return demoTime().Add(100 * 24 * time.Hour) }
	cloud := simulatedDemo(now)
	sim := newWorkshopAt(t, cloud, cloud, cloud, demo.WriteToken, now)
	player := openDemo(t, now)
	w := newWorkshopAt(t, cloud, player, player, demo.WriteToken, now)
	snap, findings := sim.assess()
	in := inputsOf(sim)
	var tried []string
	before := stateOf(t, player)
	for _, f := range findings {
		c, _ := byID(f.CheckID)
		if open := f.Result == posture.Fail || f.Result == posture.Warning; !open || c.Remedy == nil || c.Remedy.Propose == nil ||
			slices.Contains(tried, c.ID) {
			continue
		}
		if tried = append(tried, c.ID); left(len(tried)) {
			continue
		}
		want, got := applies(t, sim, snap, findings, in, c.ID), applies(t, w, snap, findings, in, c.ID)
		require.Equal(t, want, got, c.ID)
		after := stateOf(t, player)
		if !c.Remedy.Reversible {
			before = after
		}
		require.Equal(t, before, after, c.ID)
	}
	require.GreaterOrEqual(t, len(tried), 60)
}

// applies takes the remedy of a check to the end and back, and tells what became of it and of the findings.
func applies(t *testing.T, w *workshop, snap *snapshot.Snapshot, findings []posture.Finding, in change.Inputs, id string) []string {
	t.Helper()
	r := w.request(snap, findings, in, id)
	kept, err := w.engine.Plan(t.Context(), r)
	require.NoError(t, err)
	out := []string{string(change.Encode(kept.Plan.Skipped)), string(change.Encode(kept.Plan.Manual))}
	for _, c := range kept.Plan.Changes {
		out = append(out, string(change.Encode(c.Before))+" "+string(change.Encode(c.After)))
	}
	if len(kept.Steps) == 0 {
		return out
	}
	b, err := w.engine.Apply(t.Context(), r, change.Bundle{ID: "b", Account: r.Account, Entries: remedy.Entries(kept.Steps, true)})
	require.NoError(t, err)
	require.Equal(t, change.StateApplied, b.State, "%s %s", id, change.Encode(b.Results()))
	_, after := w.assess(id)
	for _, f := range after {
		if id == "CFL-SSL-015" { // closed by the certificate that Cloudflare issues then
			break
		}
		out = append(out, strings.Join([]string{string(f.Result), f.Resource.ID, f.Message, f.Reason}, " "))
	}
	b, err = w.engine.Rollback(t.Context(), b, false)
	require.NoError(t, err)
	return append(out, string(b.State))
}

// stateOf is what is answered to everything that was recorded, but for the log of changes.
func stateOf(t *testing.T, player *record.Player) map[string]string {
	t.Helper()
	out := map[string]string{}
	for line := range bytes.Lines(demoRecord(t)) {
		var x struct {
			Path, Query string
			Headers     map[string]string
		}
		require.NoError(t, json.Unmarshal(line, &x))
		if x.Path == "" || strings.HasSuffix(x.Path, "/logs/audit") {
			continue
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, record.BasePath+x.Path+"?"+x.Query, nil)
		for name, v := range x.Headers {
			r.Header.Set(name, v)
		}
		w := httptest.NewRecorder()
		player.ServeHTTP(w, r)
		v, _ := change.Decode(w.Body.Bytes())
		if body, is := v.(map[string]any); is { // what is made again is the last
			list, _ := body["result"].([]any)
			slices.SortFunc(list, func(a, b any) int { return bytes.Compare(change.Encode(a), change.Encode(b)) })
		}
		out[x.Path+"?"+x.Query] = string(change.Encode(v))
	}
	return out
}
