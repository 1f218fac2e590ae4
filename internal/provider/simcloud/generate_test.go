package simcloud

import (
	"bytes"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// everything reads every list and object of an account.
func everything(t testing.TB, cl *Cloud) []byte {
	var all bytes.Buffer
	secret := cl.Tokens()[0].Secret
	var paths []string
	for _, id := range cl.Accounts() {
		for _, r := range Routes() {
			if r.Method == http.MethodGet {
				paths = append(paths, strings.ReplaceAll(r.Pattern, "{account_id}", id))
			}
		}
		paths = append(paths, "/accounts/"+id+"/logs/audit?since=2020-01-01T00:00:00Z&before=2030-01-01T00:00:00Z")
		acct := cl.byID[id]
		for _, w := range acct.workers {
			paths = append(paths, "/accounts/"+id+"/workers/scripts/"+url.PathEscape(w.name)+"/settings")
		}
		for _, tun := range acct.tunnels {
			paths = append(paths, "/accounts/"+id+"/cfd_tunnel/"+asText(tun["id"])+"/configurations")
		}
		for _, z := range cl.ZoneIDs(id) {
			for _, r := range Routes() {
				if r.Method == http.MethodGet && strings.Contains(r.Pattern, "{zone_id}") {
					paths = append(paths, strings.ReplaceAll(r.Pattern, "{zone_id}", z))
				}
			}
			paths = append(paths, "/certificates?zone_id="+z, "/zones/"+z+"/api_gateway/labels?with_mapped_resource_counts=true")
			for _, s := range cl.zones[z].acct.zone(cl.zones[z].index).snippets {
				paths = append(paths, "/zones/"+z+"/snippets/"+s.name+"/content")
			}
		}
	}
	for _, p := range paths {
		if !strings.Contains(p, "{") {
			all.Write(ask(t, cl, secret, http.MethodGet, p, "").Raw)
			all.WriteByte('\n')
		}
	}
	for _, acct := range cl.accounts {
		for i := range acct.zoneCount {
			_, _, servers := cl.Resolve("NS", acct.zoneName(i)) // plants may change what the world says
			all.WriteString(strings.Join(servers, " "))
		}
	}
	return all.Bytes()
}

func TestSameSeedGivesSameBytes(t *testing.T) {
	build := func(seed uint64) []byte {
		return everything(t, New(Options{Seed: seed, Now: fixedNow, Limit: Limit{Disabled: true}, Accounts: []AccountSpec{{Zones: 6, Plant: 0.5},
			{Clean: true}}}))
	}
	one := build(11)
	require.Equal(t, one, build(11))
	require.NotEqual(t, one, build(12))
}

func TestSweepEveryPlantChangesAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	for i, spec := range variants() {
		if i%10 != 0 {
			continue // reading whole accounts is slow; the referee covers all
		}
		planted := unlimited(spec)
		spec.Clean = true
		clean := unlimited(spec)
		state := func(cl *Cloud) string { return string(cl.State(cl.Accounts()[0])) }
		if state(planted) == state(clean) { // what the state leaves out, such as the log
			require.NotEqual(t, everything(t, planted), everything(t, clean), spec.Name)
		}
	}
}

func TestPlantsHaveUniqueNames(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Plants() {
		key := p.CheckID + "/" + p.Variant
		require.False(t, seen[key], key)
		seen[key] = true
		require.Contains(t, []string{"FAIL", "WARNING"}, p.Result, key)
		require.NotNil(t, p.Apply, key)
	}
	require.Subset(t, Covered(), refereed())
}

func TestAnswersCarryCanaries(t *testing.T) {
	var specs []PlantRule
	for _, p := range Plants() {
		if p.CheckID == "CFL-WORK-003" || p.CheckID == "CFL-LOG-002" {
			specs = append(specs, PlantRule{CheckID: p.CheckID, Variant: p.Variant})
		}
	}
	cl := unlimited(AccountSpec{Plans: []string{"enterprise"}, Plants: specs})
	cl.accounts[0].addApp("Mail", "saas", "")
	all := string(everything(t, cl))
	for _, secret := range Canaries() {
		require.Contains(t, all, secret)
	}
}

func TestNamesAndAddressesAreReserved(t *testing.T) {
	opts := Demo()
	opts.Now, opts.Limit.Disabled = fixedNow, true
	cl := New(opts)
	for i := range cl.accounts[0].zoneCount {
		z := cl.accounts[0].zone(i)
		require.True(t, strings.HasSuffix(z.name, ".example"), z.name)
		require.InDelta(t, 40, len(z.records), 4, "plants take the place of fillers")
		require.False(t, slices.ContainsFunc(z.records, func(r record) bool { return r.ID == "" }))
	}
	far := &zone{index: 900}
	for _, text := range []string{far.originIP(10), far.mailIP(25), far.directIP(20)} {
		a := netip.MustParseAddr(text)
		require.True(t, a.IsGlobalUnicast() && !a.IsPrivate(), text)
	}
}

func TestHostileTexts(t *testing.T) {
	cl := New(Options{Hostile: true, Now: fixedNow, Limit: Limit{Disabled: true}})
	require.Contains(t, string(everything(t, cl)), "onerror=alert(1)")
	for _, w := range cl.accounts[0].workers {
		path := "/accounts/" + cl.Accounts()[0] + "/workers/scripts/" + url.PathEscape(w.name) + "/settings"
		require.Equal(t, http.StatusOK, ask(t, cl, cl.Tokens()[0].Secret, http.MethodGet, path, "").Status, "%q", w.name)
	}
	require.Equal(t, judgedHere(cl.Truth(cl.Accounts()[0])), refereeTruthOfApps(t, cl))
}

// refereeTruthOfApps judges what hostile names could disturb.
func refereeTruthOfApps(t *testing.T, cl *Cloud) []Planted {
	r := &referee{t: t, cl: cl, acct: cl.Accounts()[0]}
	r.access()
	return r.found
}

func BenchmarkLargeAccount(b *testing.B) {
	for b.Loop() {
		cl := New(Options{Seed: 1, Accounts: []AccountSpec{{Zones: 1000, RecordsPerZone: 100, Plant: 0.05}}})
		if len(cl.Truth(cl.Accounts()[0])) == 0 {
			b.Fatal("nothing planted")
		}
	}
}
