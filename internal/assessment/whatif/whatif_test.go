package whatif_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

const (
	zone    = "/zones/" + goodtest.Zone
	account = "/accounts/" + goodtest.Account
)

func state(t testing.TB) *whatif.State {
	t.Helper()
	snap, err := goodtest.Snapshot().Build()
	require.NoError(t, err)
	return whatif.Judge(snap, checks.All(), policy.Default())
}

func call(line string) whatif.Step {
	method, rest, _ := strings.Cut(line, " ")
	path, body, _ := strings.Cut(rest, " ")
	return whatif.Step{Call: change.Call{Method: method, Path: path, Body: json.RawMessage(body)}}
}

// ruled is the good account with two rules in the zone, of which the first is off.
func ruled(t *testing.T) *whatif.State {
	t.Helper()
	b := goodtest.Snapshot()
	snapshot.Edit(b, snapshot.ZoneRulesets, goodtest.Zone, func(infos *[]snapshot.RulesetInfo) {
		*infos = append(*infos, snapshot.RulesetInfo{ID: "rs", Kind: "zone", Phase: "http_request_firewall_custom"})
	})
	snapshot.Put(b, snapshot.ZonePhaseCustom, goodtest.Zone, snapshot.Ruleset{ID: "rs", Kind: "zone", Phase: "http_request_firewall_custom",
		Rules: []snapshot.Rule{{ID: "r1", Ref: "ref1", Action: "skip", Expression: "true", LastUpdated: snapshot.At(goodtest.Now()),
			Params: snapshot.RuleParams{Phases: []string{"http_ratelimit"}}},
			{ID: "r2", Ref: "ref2", Enabled: true, Action: "block", Expression: "ip.src eq 1.2.3.4", LastUpdated: snapshot.At(goodtest.Now())}}})
	snap, err := b.Build()
	require.NoError(t, err)
	return whatif.Judge(snap, checks.All(), policy.Default())
}

// TestEdits holds what calls do to what was read: source and pointer, before and after.
func TestEdits(t *testing.T) {
	before := ruled(t)
	const rules = "zone/ruleset/http_request_firewall_custom "
	for _, tc := range [][2]string{
		{"PATCH " + zone + `/settings/ssl {"value":"off"}`, `zone/settings /ssl/value "strict" "off"`},
		{"PATCH " + zone + `/settings/ssl {"value":"strict"}`, ``},
		{"patch https://api.cloudflare.com/client/v4" + zone + `/settings/ssl {"value":"full"}`, `zone/settings /ssl/value "strict" "full"`},
		{"PATCH " + zone + `/settings {"items":[{"id":"min_tls_version","value":"1.0"}]}`, `zone/settings /min_tls_version/value "1.2" "1.0"`},
		{"PATCH " + zone + `/dns_records/` + goodtest.Record + ` {"proxied":false}`,
			`zone/dns_records /` + goodtest.Record + `/proxied true false`},
		{"PATCH " + zone + ` {"paused":true}`, `zone/list /` + goodtest.Zone + `/paused false true`},
		{"PUT " + account + `/r2/buckets/` + goodtest.Bucket + `/domains/managed {"enabled":true}`, `r2/managed_domain /enabled false true`},
		{"PATCH " + zone + `/rulesets/rs/rules/r1 {"action":"block","expression":"true"}`,
			rules + `/rules/r1/action "skip" "block"; ` + rules + `/rules/r1/enabled false true; ` +
				rules + `/rules/r1/params/phases ["http_ratelimit"] null`},
		{"PATCH " + zone + `/rulesets/rs/rules/r2 {"position":{"before":"r1"}}`, rules + `/rules ["r1","r2"] ["r2","r1"]`},
		{"PUT " + zone + `/rulesets/phases/http_request_firewall_custom/entrypoint {"description":"x"}`, ``},
	} {
		line, want := tc[0], tc[1]
		got, _, err := before.After([]whatif.Step{call(line)})
		require.NoError(t, err, line)
		var all []string
		for _, e := range got.Applied[0].Edits {
			was, err := json.Marshal(e.Before)
			require.NoError(t, err)
			is, err := json.Marshal(e.After)
			require.NoError(t, err)
			all = append(all, e.Source+" "+e.Pointer+" "+string(was)+" "+string(is))
		}
		require.Equal(t, want, strings.Join(all, "; "), line)
	}
}

// TestRefusals are one sentence each, and nothing is changed in part.
func TestRefusals(t *testing.T) {
	before, long := ruled(t), `{"action":"block","expression":"ssl`+strings.Repeat(" and ssl", 512)+`"}`
	for line, want := range map[string]string{
		"GET " + zone + "/settings/ssl":                                              "is no write",
		"PATCH " + zone + "/settings/ssl":                                            "sends no body",
		"PATCH " + zone + "/settings/ssl {":                                          "is not JSON",
		"PATCH " + zone + `/settings/minify {"value":"on"}`:                          "the setting minify is not assessed",
		"PATCH " + zone + `/argo/smart_routing {"value":"on"}`:                       "nothing is read from this part",
		"PATCH " + zone + `/dns_records/none {"proxied":true}`:                       "there is no none",
		"PATCH " + zone + `/dns_records/` + goodtest.Record + ` {"proxied":"yes"}`:   "proxied is a string",
		"PATCH /zones/0123 {}":                                                       "did not look at zone 0123",
		"PATCH /zones/shop.example {}":                                               "by its id, which is ",
		"DELETE /accounts/0123/access/apps/1":                                        "not one of account 0123",
		"POST /zones {}":                                                             "cannot be judged",
		"PUT " + zone + `/rulesets/phases/http_request_sbfm/entrypoint {}`:           "rules of the phase http_request_sbfm are not read",
		"PATCH " + zone + `/rulesets/none/rules/1 {}`:                                "there is no ruleset none",
		"PUT " + account + `/access/apps/` + goodtest.App + ` {"policies":["none"]}`: "there is no policy none",
		"PATCH /zones//x {}":                                                         "is no path",
		"PATCH " + zone + `/settings/ssl {"valu":"off"}`:                             "no value of the setting",
		"POST " + zone + `/settings/ssl {"value":"off"}`:                             "has no POST there",
		"DELETE " + zone + `/settings/ssl`:                                           "has no DELETE there",
		"DELETE " + zone + `/dns_records`:                                            "has no DELETE there",
		"DELETE " + account + `/access/apps`:                                         "has no DELETE there",
		"PATCH " + zone + `/rulesets/rs/rules/r2 {"enabled":false}`:                  "a rule is sent whole",
		"PATCH " + zone + `/rulesets/rs/rules/r1 ` + long:                            "accepts expressions of 4096",
	} {
		_, _, err := before.After([]whatif.Step{call(line)})
		var refused *whatif.StepError
		require.ErrorAs(t, err, &refused, line)
		require.Contains(t, refused.Reason, want, line)
	}
}

// TestWhatCannotBeReadIsUndecided: a change of what the token may not read changes nothing and says what it lacks.
func TestWhatCannotBeReadIsUndecided(t *testing.T) {
	b := goodtest.Snapshot()
	b.Mark(snapshot.ZoneSettings.Source(), snapshot.Denied, "Zone: Zone Settings Read", "the token may not read it")
	snap, err := b.Build()
	require.NoError(t, err)
	off := call("PATCH " + zone + `/settings/ssl {"value":"off"}`)
	got, _, err := whatif.Judge(snap, checks.All(), policy.Default()).After([]whatif.Step{off})
	require.NoError(t, err)
	require.Equal(t, []whatif.Doubt{{What: "zone/settings", Why: "the token may not read it", Permission: "Zone: Zone Settings Read"}},
		got.Undecided)
	require.Empty(t, got.Applied[0].Edits)
	require.Empty(t, got.Findings.Appear)
}

// TestWhatIsNotReadIsUndecided: a rule that blocks an address is not among those that are read.
func TestWhatIsNotReadIsUndecided(t *testing.T) {
	for body, want := range map[string]int{"block": 1, "whitelist": 0} {
		got, _, err := state(t).After([]whatif.Step{call("POST " + zone + `/firewall/access_rules/rules {"mode":"` + body +
			`","configuration":{"target":"ip","value":"1.2.3.4"},"notes":""}`)})
		require.NoError(t, err)
		require.Len(t, got.Undecided, want, body)
	}
}

// TestWhatIsKnownOnlyAfterApplyIsUndecided: a finding that looks at a value that is not known is neither opened nor closed.
func TestWhatIsKnownOnlyAfterApplyIsUndecided(t *testing.T) {
	record := "PUT " + zone + `/dns_records/` + goodtest.Record + ` {"type":"A","name":"shop.example","content":"45.60.10.1"}`
	rule := `{"id":"r1","ref":"ref1","action":"skip","expression":"true","enabled":false,"action_parameters":{"phases":["http_ratelimit"]}}`
	rules := "PUT " + zone + `/rulesets/rs {"rules":[` + rule + `,{"id":"r2","ref":"ref2","expression":"ip.src eq 1.2.3.4"}]}`
	for _, tc := range []struct {
		line, check string
		unknown     []string
		appears     bool
	}{
		{record, "CFL-DNS-002", nil, true},
		{record, "CFL-DNS-002", []string{"ttl"}, true},
		{record, "CFL-DNS-002", []string{"proxied"}, false},
		{rules, "CFL-WAF-002", nil, true},
		{rules, "CFL-WAF-002", []string{"rules[1].action"}, false},
		{rules, "CFL-WAF-002", []string{"rules[0].description"}, true},
	} {
		step := call(tc.line)
		step.Unknown = tc.unknown
		got, _, err := ruled(t).After([]whatif.Step{step})
		require.NoError(t, err)
		appears, undecided := false, false
		for _, d := range got.Findings.Appear {
			appears = appears || d.CheckID == tc.check
		}
		for _, d := range got.Undecided {
			undecided = undecided || strings.HasPrefix(d.What, tc.check)
		}
		require.Equal(t, tc.appears, appears, "%s %v: %v", tc.check, tc.unknown, got.Undecided)
		require.Equal(t, !tc.appears, undecided, "%s %v", tc.check, tc.unknown)
	}
}

// TestOpened: what a change opens is filed by what it was, with the change behind it and the score.
func TestOpened(t *testing.T) {
	steps := []whatif.Step{call("PATCH " + zone + `/settings/challenge_ttl {"value":1800}`),
		call("PATCH " + zone + `/settings/ssl {"value":"off"}`)}
	got, after, err := state(t).After(steps)
	require.NoError(t, err)
	require.Equal(t, []int{1}, got.Causes[got.Findings.Appear[0].ID])
	require.Equal(t, "CFL-SSL-001", got.Findings.Appear[0].CheckID)
	require.Equal(t, posture.Pass, got.Findings.Appear[0].Before)
	require.Less(t, got.Score.After.Value, got.Score.Before.Value)
	back, _, err := after.After([]whatif.Step{call("PATCH " + zone + `/settings/ssl {"value":"strict"}`)})
	require.NoError(t, err)
	require.Equal(t, got.Findings.Appear[0].ID, back.Findings.Resolve[0].ID)
	require.Equal(t, got.Score.Before.Value, back.Score.After.Value)
}

// TestWhatNobodyKnowsAfterwardsIsNotResolved: a certificate that is yet to be issued closes nothing.
func TestWhatNobodyKnowsAfterwardsIsNotResolved(t *testing.T) {
	b := goodtest.Snapshot()
	off := false
	snapshot.Put(b, snapshot.ZoneUniversalSSL, goodtest.Zone, snapshot.Switch{Enabled: &off})
	snapshot.Edit(b, snapshot.ZoneCertificatePacks, goodtest.Zone, func(packs *[]snapshot.CertificatePack) {
		for i := range *packs {
			(*packs)[i].Status = "pending_validation"
		}
	})
	snap, err := b.Build()
	require.NoError(t, err)
	before := whatif.Judge(snap, checks.All(), policy.Default())
	got, _, err := before.After([]whatif.Step{call("PATCH " + zone + `/ssl/universal/settings {"enabled":true}`)})
	require.NoError(t, err)
	undecided := 0
	for _, d := range got.Undecided {
		if strings.Contains(d.Why, "once the change is made is not known") {
			undecided++
		}
	}
	require.Positive(t, undecided)
	for _, d := range got.Findings.Resolve {
		require.NotContains(t, []string{"CFL-SSL-003", "CFL-SSL-019"}, d.CheckID)
	}
}

// FuzzAfter: no call makes it fail otherwise than by a refusal.
func FuzzAfter(f *testing.F) {
	snap, err := goodtest.Snapshot().Build()
	require.NoError(f, err)
	before := whatif.Judge(snap, nil, policy.Default())
	for _, s := range snapshot.Sources() {
		path := strings.NewReplacer("{zone_id}", goodtest.Zone, "{account_id}", goodtest.Account, "{item}", goodtest.Worker).Replace(s.Path)
		f.Add("PATCH", path, s.Example)
		f.Add("POST", path+"/1", `{"id":null,"rules":[{"position":{"index":0}}]}`)
	}
	f.Fuzz(func(t *testing.T, method, path, body string) {
		defer fuzztest.Bound(t)()
		got, _, err := before.After([]whatif.Step{{Call: change.Call{Method: method, Path: path, Body: json.RawMessage(body)}}})
		if err == nil {
			require.Len(t, got.Applied, 1)
		}
	})
}
