package traffic_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic/traffictest"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// without makes a snapshot in which sources could not be read.
func without(t *testing.T, snap *snapshot.Snapshot, denied ...string) *snapshot.Snapshot {
	t.Helper()
	sections := snap.Sections()
	for i, s := range sections {
		for _, d := range denied {
			if s.Source == d {
				sections[i] = snapshot.Section{Source: s.Source, Scope: s.Scope, Status: snapshot.Denied, Permission: "x"}
			}
		}
	}
	out, err := snapshot.New(snap.Account, snap.TakenAt, snap.Zones, sections)
	require.NoError(t, err)
	return out
}

// decided tells what is decided about a request, by aspect; what is undecided is left out.
func decided(snap *snapshot.Snapshot, v traffictest.Visit) map[string]any {
	out, zone := map[string]any{}, snap.Zones[0]
	for _, l := range traffic.OriginTLS().Of(v.Host, v.Text()).Lanes(snap, zone) {
		if l.Value.Doubt == nil {
			out["mode"] = l.Value.Is
		}
	}
	for _, l := range traffic.HSTS().Of(v.Host, v.Text()).Lanes(snap, zone) {
		if l.Value.Doubt == nil {
			out["hsts"] = l.Value.Is
		}
	}
	for _, l := range traffic.PlainHTTP().Of(v.Host, v.Text()).Lanes(snap, zone) {
		if l.Value.Doubt == nil {
			out["plain"] = l.Value.Is
		}
	}
	for _, phase := range firewallPhases {
		for _, l := range traffic.Firewall(phase).Of(v.Host, v.Text()).Lanes(snap, zone) {
			for _, id := range ids(l.Value) {
				if slices.ContainsFunc(l.Value.Acts, func(a traffic.Act) bool { return a.Sure && a.By.Rule == id }) {
					out["rule "+id] = true
				}
			}
			if l.Value.Ended {
				out["ended"] = true
			}
		}
	}
	return out
}

// TestSweepDenyingNeverDecides takes away one source, then one more: what is still decided was decided before, in the same way.
func TestSweepDenyingNeverDecides(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	sources := []string{}
	for _, n := range traffic.Sources(traffic.OriginTLS().Needs, traffic.HSTS().Needs, traffic.PlainHTTP().Needs, traffic.FirewallNeeds()) {
		if n != snapshot.Named(snapshot.ZoneList) && n != snapshot.Named(snapshot.ZoneDNSRecords) {
			sources = append(sources, n.Source())
		}
	}
	const times = 10_000
	random := rand.New(rand.NewPCG(3, 4))
	kept := 0
	for n := range times / 20 {
		s := traffictest.New(uint64(n))
		whole := s.Snapshot(t)
		for range 20 {
			v := s.Visit()
			a, b := sources[random.IntN(len(sources))], sources[random.IntN(len(sources))]
			all, some, few := decided(whole, v), decided(without(t, whole, a), v), decided(without(t, whole, a, b), v)
			for what, value := range some {
				require.Equal(t, all[what], value, "without %s: %s", a, what)
			}
			for what, value := range few {
				require.Equal(t, some[what], value, "without %s and %s: %s", a, b, what)
				kept++
			}
		}
	}
	require.Positive(t, kept)
}

// TestSweepWhatHappensIsPossible makes conditions unreadable and takes away a source: what happens to a request remains possible.
func TestSweepWhatHappensIsPossible(t *testing.T) {
	t.Parallel()
	zones := 1000
	if testing.Short() {
		zones = 100
	}
	decided := 0
	for n := range zones {
		s := traffictest.New(uint64(n))
		s.Blur()
		whole := s.Snapshot(t)
		for _, snap := range []*snapshot.Snapshot{whole, without(t, whole, snapshot.ZonePhaseRedirect.Source()),
			without(t, whole, snapshot.ZonePageRules.Source()), without(t, whole, snapshot.ZoneWorkerRoutes.Source()),
			without(t, whole, snapshot.ZoneSettings.Source())} {
			v := s.Visit()
			want, told := s.Literal(v), fmt.Sprintf("zone %d: %+v", n, v)
			possible := func(a traffic.Aspect[traffic.Value[string]], is string) {
				for _, l := range a.Of(v.Host, v.Text()).Lanes(snap, snap.Zones[0]) {
					require.NotEqual(t, truth.No, l.Value.Holds(func(s string) bool { return s == is }), told)
					if l.Value.Doubt == nil {
						decided++
					}
				}
			}
			possible(traffic.OriginTLS(), want.Mode)
			if v.Secure {
				for _, l := range traffic.HSTS().Of(v.Host, v.Text()).Lanes(snap, snap.Zones[0]) {
					require.NotEqual(t, truth.No, l.Value.Holds(func(h snapshot.HSTS) bool { return h.MaxAge == want.HSTS }), told)
				}
				continue
			}
			possible(traffic.PlainHTTP(), map[bool]string{true: traffic.InClear, false: traffic.ToHTTPS}[want.Plain])
		}
	}
	require.Greater(t, decided, zones)
}

// TestSweepWhatDecidesMatters takes away the rule that decided: the value changes, or something else decides now.
func TestSweepWhatDecidesMatters(t *testing.T) {
	t.Parallel()
	times := 10_000
	if testing.Short() {
		times = 1_000
	}
	taken := 0
	for n := range times {
		s := traffictest.New(uint64(n))
		snap, v := s.Snapshot(t), s.Visit()
		mode := traffic.OriginTLS().Of(v.Host, v.Text()).Lanes(snap, snap.Zones[0])[0].Value
		header := traffic.HSTS().Of(v.Host, v.Text()).Lanes(snap, snap.Zones[0])
		if by := mode.By; by.Rule != "" && by.Source == snapshot.Named(snapshot.ZonePhaseConfig) {
			s.Drop(by.Rule)
			next := traffic.OriginTLS().Of(v.Host, v.Text()).Lanes(s.Snapshot(t), snap.Zones[0])[0].Value
			require.NotEqual(t, by, next.By, "zone %d", n)
			require.Equal(t, next.By, mode.Overrode[len(mode.Overrode)-1], "what it overrode decides now")
			taken++
		}
		if len(header) > 0 && header[0].Value.By.Rule != "" {
			s.Drop(header[0].Value.By.Rule)
			next := traffic.HSTS().Of(v.Host, v.Text()).Lanes(s.Snapshot(t), snap.Zones[0])[0].Value
			require.NotEqual(t, header[0].Value.By, next.By, "zone %d", n)
			taken++
		}
	}
	require.Greater(t, taken, times/10)
}
