package traffic_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic/traffictest"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestSweepTheResolverAgreesWithALiteralReading sends random requests to random zones.
func TestSweepTheResolverAgreesWithALiteralReading(t *testing.T) {
	t.Parallel()
	zones, requests := 1000, 100
	if testing.Short() {
		zones, requests = 100, 20
	}
	lanes, undecided := 0, 0
	for n := range zones {
		s := traffictest.New(uint64(n))
		snap := s.Snapshot(t)
		zone := snap.Zones[0]
		count := func(open bool) {
			lanes++
			if open {
				undecided++
			}
		}
		modes, headers := traffic.OriginTLS().Lanes(snap, zone), traffic.HSTS().Lanes(snap, zone)
		plain := traffic.PlainHTTP().Lanes(snap, zone)
		for _, l := range plain {
			count(l.Value.Doubt != nil)
		}
		flows := map[string][]traffic.Lane[traffic.Flow]{}
		for _, l := range modes {
			count(l.Value.Doubt != nil)
		}
		for _, l := range headers {
			count(l.Value.Doubt != nil)
		}
		for _, phase := range firewallPhases {
			flows[phase] = traffic.Firewall(phase).Lanes(snap, zone)
			for _, l := range flows[phase] {
				count(len(l.Value.Doubts) > 0 || slices.ContainsFunc(l.Value.Acts, func(a traffic.Act) bool { return !a.Sure }))
			}
		}
		for range requests {
			v := s.Visit()
			want := s.Literal(v)
			told := fmt.Sprintf("zone %d %s%s %+v", n, v.Host, v.Path, v)
			for _, l := range traffic.OriginTLS().Of(v.Host, v.Text()).Lanes(snap, zone) {
				if l.Value.Doubt == nil {
					require.Equal(t, want.Mode, l.Value.Is, told)
				}
			}
			mode := func(x traffic.Value[string]) truth.Value {
				return x.Holds(func(m string) bool { return m == want.Mode })
			}
			require.NotEqual(t, truth.No, traffic.Cover(on(modes, v.Host), mode).Some, "no lane has the mode: %s", told)
			if !v.Secure {
				for _, l := range traffic.PlainHTTP().Of(v.Host, v.Text()).Lanes(snap, zone) {
					require.Equal(t, truth.Is(want.Plain), l.Value.Holds(inClear), told)
				}
				is := func(x traffic.Value[string]) truth.Value {
					return x.Holds(func(is string) bool { return inClear(is) == want.Plain })
				}
				require.NotEqual(t, truth.No, traffic.Cover(on(plain, v.Host), is).Some, "no lane is answered so: %s", told)
			}
			if v.Secure {
				got := traffic.HSTS().Of(v.Host, v.Text()).Lanes(snap, zone)
				require.NotEmpty(t, got, told)
				for _, l := range got {
					if l.Value.Doubt == nil {
						require.Equal(t, want.HSTS, l.Value.Is.MaxAge, told)
					}
				}
				age := func(x traffic.Value[snapshot.HSTS]) truth.Value {
					return x.Holds(func(h snapshot.HSTS) bool { return h.MaxAge == want.HSTS })
				}
				require.NotEqual(t, truth.No, traffic.Cover(on(headers, v.Host), age).Some, "no lane has the lifetime: %s", told)
			}
			for _, phase := range firewallPhases {
				agrees(t, traffic.Firewall(phase).Of(v.Host, v.Text()).Lanes(snap, zone), on(flows[phase], v.Host), want, told)
			}
			ended := traffic.Ended(traffic.ManagedRules).Of(v.Host, v.Text()).Lanes(snap, zone)
			require.Equal(t, want.Ended, ended[0].Value.Ended, told)
			for _, r := range []struct {
				phase, rule string
				source      snapshot.Named
			}{{traffic.CustomRules, "z1", snapshot.ZonePhaseCustom}, {traffic.ManagedRules, "g1", snapshot.ZonePhaseManaged}} {
				acts := traffic.Acts(r.phase, r.source, r.rule, "").Of(v.Host, v.Text()).Lanes(snap, zone)
				require.Equal(t, truth.Is(slices.Contains(want.Acts[r.phase], r.rule)), acts[0].Value, told)
			}
		}
	}
	t.Logf("%d lanes, %d undecided (%.2f %%)", lanes, undecided, 100*float64(undecided)/float64(lanes))
	require.Less(t, undecided*50, lanes, "at most 2 % are undecided")
}

func inClear(is string) bool { return is == traffic.InClear }

// agrees holds the lane of a request, and the lanes of its host, against what becomes of it.
func agrees(t *testing.T, got, lanes []traffic.Lane[traffic.Flow], want traffictest.Fate, told string) {
	t.Helper()
	require.Len(t, got, 1, told)
	acts := want.Acts[got[0].Value.Phase]
	require.Equal(t, acts, ids(got[0].Value), told)
	require.Equal(t, want.Ended, got[0].Value.Ended, told)
	tells := changing(got[0].Value)
	require.True(t, slices.ContainsFunc(lanes, func(l traffic.Lane[traffic.Flow]) bool {
		return slices.Equal(ids(l.Value), tells) && l.Value.Ended == want.Ended
	}), "no lane is like it: %s", told)
}

// changing names the rules of the phase that act, without those that skip what others skip before them.
func changing(f traffic.Flow) (out []string) {
	off := map[string]bool{}
	for _, a := range f.Acts {
		p := a.Rule.Params
		var skips []string
		for _, id := range p.Rulesets {
			skips = append(skips, fmt.Sprint(id, a.By.Account))
		}
		skips = append(append(skips, p.Phases...), p.Products...)
		again := len(skips) > 0 && p.Ruleset+p.Phase == "" && len(p.Rules) == 0 &&
			!slices.ContainsFunc(skips, func(s string) bool { return !off[s] })
		for _, s := range skips {
			off[s] = off[s] || a.Sure
		}
		if a.Phase == f.Phase && !again {
			out = append(out, a.By.Rule)
		}
	}
	return out
}

func on[T any](lanes []traffic.Lane[T], host string) []traffic.Lane[T] {
	return slices.DeleteFunc(slices.Clone(lanes), func(l traffic.Lane[T]) bool {
		return !slices.ContainsFunc(l.Hosts, func(h traffic.Host) bool { return h.Name == host })
	})
}

var firewallPhases = []string{traffic.CustomRules, traffic.RateLimits, traffic.ManagedRules}

// ids names the rules of the phase that act.
func ids(f traffic.Flow) []string {
	var out []string
	for _, a := range f.Acts {
		if a.Phase == f.Phase {
			out = append(out, a.By.Rule)
		}
	}
	return out
}
