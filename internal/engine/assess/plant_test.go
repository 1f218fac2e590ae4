package assess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// direct carries requests to a provider without a network.
type direct struct{ provider http.Handler }

func (d direct) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	defer func() { // what a server does with a handler that gives up
		given := recover()
		if gave, isError := given.(error); isError && errors.Is(gave, http.ErrAbortHandler) {
			answer, err = nil, io.ErrUnexpectedEOF
		} else if given != nil {
			panic(given)
		}
	}()
	if r.Body == nil {
		r.Body = http.NoBody // as a server has it
	}
	w := httptest.NewRecorder()
	d.provider.ServeHTTP(w, r)
	return w.Result(), nil
}

type openGate struct{}

func (openGate) Enter(context.Context) (func(cloudflare.Answer), error) {
	return func(cloudflare.Answer) {}, nil
}

type nowhere struct{}

func (nowhere) PutSections(context.Context, string, int, []snapshot.Section) error { return nil }

// read collects everything of the first account for a request, without store,
// queue and network.
func read(t testing.TB, cloud *simcloud.Cloud, req posture.AssessRequest) *snapshot.Snapshot {
	t.Helper()
	return readOn(t, cloud, req, simNow, nil)
}

// readOn is read at another time, with what may be carried forward.
func readOn(t testing.TB, cloud *simcloud.Cloud, req posture.AssessRequest, now func() time.Time, from *baseline) *snapshot.Snapshot {
	t.Helper()
	return readThrough(t, cloud, direct{cloud}, req, now, from)
}

// readThrough is readOn through a transport that may change what the provider answers.
func readThrough(t testing.TB, cloud *simcloud.Cloud, transport http.RoundTripper, req posture.AssessRequest, now func() time.Time,
	from *baseline) *snapshot.Snapshot {
	t.Helper()
	return readAs(t, cloud.Accounts()[0], cloud.Tokens()[0].Secret, transport, req, now, from)
}

// readAs is readThrough of an account, with a token.
func readAs(t testing.TB, account, token string, transport http.RoundTripper, req posture.AssessRequest, now func() time.Time,
	from *baseline) *snapshot.Snapshot {
	t.Helper()
	plan, err := NewPlan(req, checks.All(), snapshot.Sources())
	require.NoError(t, err)
	client, err := cloudflare.New(cloudflare.Options{BaseURL: "http://sim.test" + simcloud.BasePath,
		Token: secret.New(token), Gate: openGate{}, Transport: transport, Now: now,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	require.NoError(t, err)
	c := &collector{jobID: "job", account: account, req: req, sources: plan.Sources, client: client, store: nowhere{},
		slots: make(chan struct{}, 16), baseline: from}
	zones, sections, err := c.collect(t.Context(), nil)
	require.NoError(t, err)
	snap, err := snapshot.New(snapshot.AccountRef{ID: account, Name: "Planted"}, now(), zones, otherKindSkipped(sections))
	require.NoError(t, err)
	return snap
}

// left reports whether a short sweep skips case i; it runs one in twenty.
func left(i int) bool { return testing.Short() && i%20 > 0 }

func simNow() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC) }

// covered lists the checks that the simulated account is made for. It may hold what one that
// has no plant finds, or lack what it reads.
func covered() []check.Check {
	ids := simcloud.Covered()
	return slices.DeleteFunc(checks.All(), func(c check.Check) bool { return !slices.Contains(ids, c.ID) })
}

func bad(findings []posture.Verdict) []string {
	var out []string
	for _, f := range findings {
		if f.Result == posture.Fail || f.Result == posture.Warning {
			out = append(out, fmt.Sprintf("%s %s %s %s", f.CheckID, f.Result, f.Resource.Type, f.Resource.ID))
		}
	}
	sort.Strings(out)
	return out
}

func truth(cloud *simcloud.Cloud) []string {
	var out []string
	for _, p := range cloud.Truth(cloud.Accounts()[0]) {
		out = append(out, fmt.Sprintf("%s %s %s %s", p.CheckID, p.Result, p.ResourceType, p.ResourceID))
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// planting is an account in which all is well but for one plant.
func planting(p simcloud.Plant) simcloud.AccountSpec {
	spec := simcloud.AccountSpec{Zones: 5, Plants: []simcloud.PlantRule{{CheckID: p.CheckID, Variant: p.Variant}}}
	if !p.Zonal && len(p.Plans) > 0 {
		spec.Plans = []string{"free", p.Plans[len(p.Plans)-1]}
	}
	return spec
}

// TestSweepEveryPlantIsFoundAndNothingElse plants each bad case alone: the engine
// says exactly what was planted, over all checks and all resources, and finds the
// attack paths it makes and no others.
func TestSweepEveryPlantIsFoundAndNothingElse(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(covered()), 210)
	for i, p := range simcloud.Plants() {
		if left(i) {
			continue
		}
		t.Run(p.CheckID+"/"+p.Variant, func(t *testing.T) {
			t.Parallel()
			cloud := simcloud.New(simcloud.Options{Seed: 7, Now: simNow, Limit: simcloud.Limit{Disabled: true},
				Accounts: []simcloud.AccountSpec{planting(p)}})
			want := truth(cloud)
			require.NotEmpty(t, want)
			snap := resolved(t, cloud, read(t, cloud, posture.AssessRequest{}))
			got := check.Run(snap, covered(), policy.Default())
			require.Equal(t, want, bad(got.Findings))
			require.Equal(t, kindsOf(p), kinds(pathsFrom(snap, got.Findings)), "attack paths")
			for _, f := range got.Findings {
				require.NotEqual(t, posture.Unknown, f.Result, "%s on %s: %s", f.CheckID, f.Resource.Name, f.Reason)
			}
		})
	}
}

// TestCleanAccountsHaveNoFindings reads accounts of every mix of plans in which
// all is well.
func TestCleanAccountsHaveNoFindings(t *testing.T) {
	t.Parallel()
	for _, plans := range [][]string{{"free"}, {"pro"}, {"business"}, {"enterprise"}, {"free", "pro", "business", "enterprise"}} {
		for _, none := range []int{0, -1} {
			t.Run(fmt.Sprint(plans, none), func(t *testing.T) {
				t.Parallel()
				cloud := simcloud.New(simcloud.Options{Seed: 8, Now: simNow, Limit: simcloud.Limit{Disabled: true},
					Accounts: []simcloud.AccountSpec{{Clean: true, Zones: 9, Plans: plans, Apps: none, Buckets: none, Workers: none, Tunnels: none,
						Pending: 1}}})
				got := check.Run(resolved(t, cloud, read(t, cloud, posture.AssessRequest{})), covered(), policy.Default())
				require.Equal(t, truth(cloud), bad(got.Findings), "only the zone that is not active yet")
				for _, f := range got.Findings {
					require.NotEqual(t, posture.Unknown, f.Result, "%s on %s: %s", f.CheckID, f.Resource.Name, f.Reason)
				}
			})
		}
	}
}

// resolved adds the look-ups the checks ask for, answered by the simulation or by what was recorded of it.
func resolved(t testing.TB, names Resolver, snap *snapshot.Snapshot) *snapshot.Snapshot {
	t.Helper()
	for range 12 {
		ask := check.Questions(snap, checks.All(), policy.Default())
		if len(ask) == 0 {
			break
		}
		sections := snap.Sections()
		for _, q := range ask {
			sections = append(sections, answer(t.Context(), names, q))
		}
		var err error
		snap, err = snapshot.New(snap.Account, snap.TakenAt, snap.Zones, sections)
		require.NoError(t, err)
	}
	return snap
}

// TestSweepScatteredPlantsAreFound plants many cases into the same places: what is
// found is what was planted, however the cases meet.
func TestSweepScatteredPlantsAreFound(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	for seed := range uint64(6) {
		for _, share := range []float64{0.1, 0.5, 1} {
			t.Run(fmt.Sprint(seed, share), func(t *testing.T) {
				t.Parallel()
				cloud := simcloud.New(simcloud.Options{Seed: 50 + seed, Now: simNow, Limit: simcloud.Limit{Disabled: true},
					Accounts: []simcloud.AccountSpec{{Zones: 8, RecordsPerZone: 60, Plant: share, Pending: 1}}})
				got := check.Run(resolved(t, cloud, read(t, cloud, posture.AssessRequest{})), covered(), policy.Default())
				require.Empty(t, cmp.Diff(truth(cloud), bad(got.Findings)), "only in the truth: -; only found: +")
			})
		}
	}
}
