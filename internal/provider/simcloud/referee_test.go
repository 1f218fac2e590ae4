package simcloud

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// referee judges the covered checks from the HTTP answers alone, by the letter
// of the catalogue. It shares no code with the plants, so that a truth that
// agrees with it is what a client can really see.
type referee struct {
	t     *testing.T
	cl    *Cloud
	acct  string
	found []Planted
	zones []judged
	names []string
	best  int
}

// judged is one zone with what its checks need.
type judged struct {
	zone     obj
	id, name string
	plan     string
	records  []obj
	settings map[string]any
	live     bool // active with a proxied record
	custom   []obj
	managed  []obj
	limits   []obj
	redirect []obj
	headers  []obj
	config   []obj
	pages    []obj
}

func refereeTruth(t *testing.T, cl *Cloud, account string) []Planted {
	r := &referee{t: t, cl: cl, acct: account}
	for _, z := range fetch[[]obj](t, cl, "/zones?per_page=50&account.id="+account) {
		r.zones = append(r.zones, r.load(z))
	}
	for i := range r.zones {
		r.zone(&r.zones[i])
	}
	r.origins()
	r.people()
	r.access()
	r.tunnels()
	r.workloads()
	r.logs()
	r.alerts()
	return settle(r.found)
}

// refereed lists the checks the referee judges. Every other check is held
// against the plants by the engine's own test in internal/engine/assess.
func refereed() []string {
	return []string{
		"CFL-ACC-001", "CFL-ACC-009", "CFL-ACC-010", "CFL-ALERT-001", "CFL-ALERT-003", "CFL-ALERT-004", "CFL-ALERT-005", "CFL-ALERT-012",
		"CFL-BOT-001", "CFL-BOT-002", "CFL-DNS-001", "CFL-DNS-002", "CFL-DNS-003", "CFL-DNS-004", "CFL-DNS-008", "CFL-DNS-009",
		"CFL-EMAIL-001", "CFL-EMAIL-003", "CFL-EMAIL-005", "CFL-LOG-001", "CFL-LOG-002", "CFL-ORIGCERT-001", "CFL-R2-004", "CFL-SSL-001",
		"CFL-SSL-002", "CFL-SSL-004", "CFL-SSL-005", "CFL-SSL-006", "CFL-SSL-009", "CFL-TOK-001", "CFL-TOK-002", "CFL-TOK-006",
		"CFL-WAF-001", "CFL-WAF-002", "CFL-WAF-003", "CFL-WAF-005", "CFL-WAF-010", "CFL-WAF-011", "CFL-WORK-003", "CFL-ZONE-001",
		"CFL-ZT-007", "CFL-ZT-008", "CFL-ZT-015", "CFL-ZT-026",
	}
}

// judgedHere narrows a truth to what the referee speaks about.
func judgedHere(truth []Planted) []Planted {
	return slices.DeleteFunc(truth, func(p Planted) bool { return !slices.Contains(refereed(), p.CheckID) })
}

func (r *referee) add(check, kind, id, result string) {
	r.found = append(r.found, Planted{check, kind, id, result})
}

func (r *referee) load(z obj) judged {
	plan := z["plan"].(obj)["legacy_id"].(string)
	j := judged{zone: z, id: z["id"].(string), name: z["name"].(string), plan: plan, settings: map[string]any{}}
	r.best = max(r.best, slices.Index([]string{"free", "pro", "business", "enterprise"}, plan))
	r.names = append(r.names, j.name)
	base := "/zones/" + j.id
	j.records = fetch[[]obj](r.t, r.cl, base+"/dns_records?per_page=5000")
	for _, s := range fetch[[]obj](r.t, r.cl, base+"/settings") {
		j.settings[s["id"].(string)] = s["value"]
	}
	for _, rec := range j.records {
		j.live = j.live || rec["proxied"] == true && z["status"] == "active" && z["paused"] != true
	}
	for _, s := range fetch[[]obj](r.t, r.cl, base+"/rulesets?per_page=50") {
		if s["kind"] != "zone" {
			continue
		}
		phase := s["phase"].(string)
		var rules []obj
		for _, rule := range fetch[obj](r.t, r.cl, base+"/rulesets/phases/"+phase+"/entrypoint")["rules"].([]any) {
			rules = append(rules, rule.(obj))
		}
		switch phase {
		case phaseCustom:
			j.custom = rules
		case phaseManaged:
			j.managed = rules
		case phaseRateLimit:
			j.limits = rules
		case phaseRedirect:
			j.redirect = rules
		case phaseHeaders:
			j.headers = rules
		case phaseConfig:
			j.config = rules
		}
	}
	j.pages = fetch[[]obj](r.t, r.cl, base+"/pagerules")
	return j
}

// when reads the two date formats of the answers.
func when(v any) time.Time {
	text, _ := v.(string)
	if got, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return got
	}
	got, _ := time.Parse("2006-01-02 15:04:05 -0700 MST", text)
	return got
}

func variants() []AccountSpec {
	var specs []AccountSpec
	for _, p := range Plants() {
		spec := AccountSpec{Name: p.CheckID + "/" + p.Variant, Zones: 5, Plants: []PlantRule{{CheckID: p.CheckID, Variant: p.Variant}}}
		if !p.Zonal && len(p.Plans) > 0 {
			spec.Plans = []string{"free", p.Plans[len(p.Plans)-1]}
		}
		specs = append(specs, spec)
	}
	return specs
}

func TestSweepEveryPlantIsWhatTheRefereeSees(t *testing.T) {
	for i, spec := range variants() {
		p := Plants()[i]
		if !slices.Contains(refereed(), p.CheckID) {
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			cl := unlimited(spec)
			id := cl.Accounts()[0]
			truth := judgedHere(cl.Truth(id))
			require.NotEmpty(t, truth)
			require.Contains(t, pairs(truth), p.CheckID+" "+p.ResourceType+" "+p.Result)
			require.Equal(t, truth, refereeTruth(t, cl, id))
		})
	}
}

func pairs(found []Planted) []string {
	var out []string
	for _, f := range found {
		out = append(out, strings.Join([]string{f.CheckID, f.ResourceType, f.Result}, " "))
	}
	return out
}

func TestCleanAccountsHaveNoFindings(t *testing.T) {
	for _, plans := range [][]string{{"free"}, {"pro"}, {"business"}, {"enterprise"}, {"free", "pro", "business", "enterprise"}} {
		for _, apps := range []int{0, -1} {
			cl := unlimited(AccountSpec{Clean: true, Plant: 1, Zones: 9, Plans: plans, Apps: apps, Buckets: 5, Pending: 1})
			id := cl.Accounts()[0]
			require.Empty(t, judgedHere(cl.Truth(id)), "%v", plans)
			require.Empty(t, refereeTruth(t, cl, id), "%v", plans)
		}
	}
}

func TestSweepScatteredTruthIsWhatTheRefereeSees(t *testing.T) {
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	for seed := range uint64(12) {
		for _, share := range []float64{0.1, 0.5, 1} {
			cl := New(Options{Seed: seed, Now: fixedNow, Limit: Limit{Disabled: true},
				Accounts: []AccountSpec{{Zones: 8, RecordsPerZone: 40, Plant: share, Pending: 1}}})
			id := cl.Accounts()[0]
			require.Equal(t, judgedHere(cl.Truth(id)), refereeTruth(t, cl, id), "seed %d share %v", seed, share)
		}
	}
}

func TestDemoTruth(t *testing.T) {
	opts := Demo()
	opts.Now, opts.Limit.Disabled = fixedNow, true
	cl := New(opts)
	id := cl.Accounts()[0]
	truth := cl.Truth(id)
	require.Equal(t, judgedHere(slices.Clone(truth)), refereeTruth(t, cl, id))
	checks := map[string]bool{}
	for _, f := range truth {
		checks[f.CheckID] = true
	}
	// The run's own token is in order, so its two checks stay silent.
	require.GreaterOrEqual(t, len(checks), len(refereed())-4)
	want, planned := 0, 0
	for _, rule := range opts.Accounts[0].Plants {
		require.True(t, checks[rule.CheckID], rule.CheckID)
		want += len(rule.Zones)
	}
	for _, plants := range cl.accounts[0].assigned {
		planned += len(plants)
	}
	require.GreaterOrEqual(t, planned, want, "no plant of the demo was refused its place")
}

func TestTokenTruth(t *testing.T) {
	in := func(d time.Duration) *time.Time { at := fixedNow().Add(d); return &at }
	cases := []struct {
		name string
		tok  Token
		want []string
	}{
		{"clean", Token{}, nil},
		{"soon", Token{ExpiresOn: in(10 * day)}, []string{"CFL-TOK-001 FAIL"}},
		{"later", Token{ExpiresOn: in(20 * day)}, []string{"CFL-TOK-001 WARNING"}},
		{"disabled", Token{Status: "disabled"}, []string{"CFL-TOK-001 FAIL"}},
		{"endless", Token{NoExpiry: true}, []string{"CFL-TOK-002 FAIL"}},
		{"writer", Token{CanWrite: true, Kind: AccountToken}, []string{"CFL-TOK-004 FAIL", "CFL-TOK-006 FAIL", "CFL-TOK-010 WARNING"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			cl := New(Options{Now: fixedNow, Tokens: []Token{tc.tok}})
			var got []string
			for _, f := range cl.Truth(cl.Accounts()[0]) {
				require.Equal(t, cl.Tokens()[0].ID, f.ResourceID)
				got = append(got, f.CheckID+" "+f.Result)
			}
			require.Equal(t, tc.want, got)
		})
	}
	require.Nil(t, New(Options{}).Truth("unknown"))
	require.Equal(t, http.StatusOK, ask(t, New(Options{}), New(Options{}).Tokens()[0].Secret, http.MethodGet, "/zones", "").Status)
}
