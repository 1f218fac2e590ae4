package simcloud

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// full is an account that has something of everything, and a token that may
// write.
func full(t *testing.T) *patient {
	t.Helper()
	cl := New(Options{Seed: 5, Now: fixedNow, Limit: Limit{Disabled: true},
		Tokens: []Token{{CanWrite: true}, {Secret: "owned", Kind: AccountToken, CanWrite: true}},
		Accounts: []AccountSpec{{Zones: 2, Plans: []string{"enterprise", "business"}, Buckets: 4, Plants: []PlantRule{
			{CheckID: "CFL-RULES-002", Variant: "waf-off", Zones: []int{0}}, {CheckID: "CFL-ALERT-011", Variant: "month"}, {CheckID: "CFL-ACC-011"},
		}}}})
	a := cl.Accounts()[0]
	return &patient{t: t, cl: cl, a: "/accounts/" + a, z: "/zones/" + cl.ZoneIDs(a)[0]}
}

// collections tell where the entries of a repeated read are listed, and by what
// member, when it is not the path above and not the id.
func collections() map[string][2]string {
	return map[string][2]string{
		"{project_name}": {"", "name"}, "{domain_name}": {"", "domain_name"}, "{domain}": {"", "domain"},
		"{policy_id}": {"", "id"}, "/devices/policy/{policy_id}": {"/devices/policies", "policy_id"},
	}
}

// TestSingleReadsAgreeWithTheirLists reads each entry of each list once more.
func TestSingleReadsAgreeWithTheirLists(t *testing.T) {
	p := full(t)
	tested := 0
	for _, r := range Routes() {
		if !r.repeat || strings.HasSuffix(r.Pattern, "/entrypoint") || strings.HasSuffix(r.Pattern, "/settings") {
			continue
		}
		tested++
		above, param := r.Pattern[:strings.LastIndex(r.Pattern, "/")], r.Pattern[strings.LastIndex(r.Pattern, "/")+1:]
		where, other := collections()["/devices/policy/"+param]
		if !other || !strings.Contains(above, "/devices/") {
			where = collections()[param]
		}
		key := where[1]
		if key == "" {
			key = "id"
		}
		base := strings.NewReplacer("/accounts/{account_id}", p.a, "/zones/{zone_id}", p.z, "{bucket_name}", "assets-1").Replace(above)
		switch {
		case strings.HasSuffix(above, "/devices/policy"):
			base = p.a + "/devices/policies"
		case strings.HasSuffix(above, "/policies") && strings.Contains(above, "{app_id}"):
			base = p.a + "/access/apps/" + asText(p.list(p.a + "/access/apps")[0]["id"])
		}
		got := p.do("GET", base, nil)
		if o, isObject := got.(obj); isObject { // the list has a name
			got = append(objects(o["domains"]), objects(o["policies"])...)
		}
		list := objects(got)
		require.NotEmpty(t, list, "%s: nothing to read", r.Pattern)
		for _, want := range list {
			one := strings.NewReplacer("/accounts/{account_id}", p.a, "/zones/{zone_id}", p.z, "{bucket_name}", "assets-1", param, asText(want[key]),
				"{app_id}", asText(p.list(p.a + "/access/apps")[0]["id"])).Replace(r.Pattern)
			delete(want, "client_secret") // of service tokens, which no single read shows
			if strings.Contains(one, "/firewall/access_rules/") && !strings.HasPrefix(one, p.a) && want["scope"].(obj)["type"] != "zone" {
				continue // rules of the account are listed in its zones, and read there
			}
			require.Equal(t, want, p.get(one), one)
		}
		require.Equal(t, http.StatusNotFound, sendAs(t, p.cl, "GET", strings.Replace(base, "devices/policies", "devices/policy", 1)+"/unknown",
			"").Status, r.Pattern)
	}
	require.Greater(t, tested, 20)
}

// TestStateHoldsEveryRead looks for each read of the routes table.
func TestStateHoldsEveryRead(t *testing.T) {
	p := full(t)
	var got struct {
		Account map[string]json.RawMessage
		Zones   map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(p.state()), &got))
	require.Len(t, got.Zones, 2)
	for _, r := range Routes() {
		if r.Method != http.MethodGet || r.repeat || slices.Contains(apart(), r.Pattern) || strings.HasPrefix(r.Pattern, "/user") {
			continue
		}
		switch rest, ofZone := strings.CutPrefix(r.Pattern, "/zones/{zone_id}"); {
		case r.Pattern == "/accounts" || r.Pattern == "/zones":
			continue // their entries are read one by one
		case ofZone || r.Pattern == "/certificates":
			for _, section := range got.Zones {
				require.Contains(t, section, max(rest, "/"), r.Pattern)
			}
		default:
			require.Contains(t, got.Account, max(strings.TrimPrefix(r.Pattern, "/accounts/{account_id}"), "/"), r.Pattern)
		}
	}
	require.Nil(t, p.cl.State("unknown"))
}

// TestStateDoesNotMoveByItself lets time pass and asks for things.
func TestStateDoesNotMoveByItself(t *testing.T) {
	c := &clock{at: fixedNow()}
	cl := New(Options{Now: c.now, Limit: Limit{Disabled: true}, Tokens: []Token{{CanWrite: true}}})
	before := cl.State(cl.Accounts()[0])
	c.step(36 * time.Hour)
	fetch[[]obj](t, cl, "/zones")
	p := &patient{t: t, cl: cl}
	p.same(string(before), p.state())
	again := New(Options{Now: fixedNow, Tokens: []Token{{CanWrite: true}}})
	p.same(string(before), string(again.State(again.Accounts()[0])))
}

// TestOrderInStates swaps entries of lists whose order means something and of
// one whose order does not.
func TestOrderInStates(t *testing.T) {
	p := full(t)
	before := p.state()
	entry := p.get(p.z + "/rulesets/phases/http_request_firewall_custom/entrypoint")
	first := asText(objects(entry["rules"])[0]["id"])
	rule := p.z + "/rulesets/" + asText(entry["id"]) + "/rules/" + first
	p.do("PATCH", rule, obj{"position": obj{"index": 2}})
	p.differs(before, p.state(), "the order of rules counts")
	p.do("PATCH", rule, obj{"position": obj{"index": 1}})
	p.same(before, p.state())

	records := p.list(p.z + "/dns_records")
	for _, r := range []obj{records[0], records[len(records)/2]} {
		p.do("DELETE", p.z+"/dns_records/"+asText(r["id"]), nil)
		p.do("POST", p.z+"/dns_records", r)
	}
	p.same(before, p.state())
	require.NotEqual(t, records[0]["id"], p.list(p.z + "/dns_records")[0]["id"])

	gateway := p.a + "/gateway/rules"
	old := p.list(gateway)[0]
	p.do("PUT", gateway+"/"+asText(old["id"]), merged(old, obj{"precedence": 9500}))
	p.differs(before, p.state(), "the place of a gateway rule counts")
	p.do("PUT", gateway+"/"+asText(old["id"]), old)
	p.same(before, p.state())

	// Rules that are deleted and made again take the references with them.
	p.do("DELETE", rule, nil)
	p.do("POST", strings.TrimSuffix(rule, "/"+first), merged(objects(entry["rules"])[0], obj{"position": obj{"before": ""}}))
	p.same(before, p.state())
}

// TestEntryPointThatIsLeftEmpty follows a remedy that made an entry point.
func TestEntryPointThatIsLeftEmpty(t *testing.T) {
	p := newPatient(t, remedyCase{check: "CFL-WAF-003", variant: "none"})
	before := p.state()
	set, _ := p.do("PUT", p.z+"/rulesets/phases/http_ratelimit/entrypoint",
		obj{"rules": []obj{{"action": "block", "expression": "true", "ratelimit": obj{
			"characteristics": []string{"cf.colo.id", "ip.src"}, "period": 10, "requests_per_period": 20, "mitigation_timeout": 10,
		}}}}).(obj)
	p.differs(before, p.state(), "a rule was made")
	one := p.z + "/rulesets/" + asText(set["id"])
	p.do("DELETE", one+"/rules/"+asText(objects(set["rules"])[0]["id"]), nil)
	require.Empty(t, p.get(one)["rules"], "it is still there")
	p.same(before, p.state())
	p.do("DELETE", one, nil)
	p.same(before, p.state())
}

// TestStatesAndWritesAtOnce writes from many sides while states are taken.
func TestStatesAndWritesAtOnce(t *testing.T) {
	p := full(t)
	before := p.state()
	p.cl.SetFaults(Faults{RateIgnore: 0.3, RateRefuse: 0.2, Seed: 3})
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for n := range 6 {
				sendAs(t, p.cl, "PATCH", p.z+"/settings/challenge_ttl", `{"value":300}`)
				sendAs(t, p.cl, "POST", p.z+"/dns_records", `{"type":"TXT","name":"w`+num(worker*10+n)+`","content":"x"}`)
				if len(p.cl.State(p.cl.Accounts()[0])) == 0 {
					t.Error("no state")
				}
			}
		})
	}
	all.Wait()
	p.cl.SetFaults(Faults{})
	for _, r := range p.list(p.z + "/dns_records") {
		if r["content"] == "x" {
			p.do("DELETE", p.z+"/dns_records/"+asText(r["id"]), nil)
		}
	}
	p.do("PATCH", p.z+"/settings/challenge_ttl", obj{"value": 1800})
	p.same(before, p.state())
	require.GreaterOrEqual(t, len(p.cl.Writes()), 48)
}
