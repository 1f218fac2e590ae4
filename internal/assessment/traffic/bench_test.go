package traffic_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// BenchmarkLanes works out every aspect of a zone of 100 records and 20 rules, and of one that is made to be slow: 5,000 records and
// 300 rules.
func BenchmarkLanes(b *testing.B) {
	for _, size := range []struct{ records, rules int }{{100, 20}, {5000, 300}} {
		b.Run(fmt.Sprintf("%d records, %d rules", size.records, size.rules), func(b *testing.B) {
			snap := manyRules(b, size.records, size.rules)
			zone := snap.Zones[0]
			b.ReportAllocs()
			for b.Loop() {
				traffic.OriginTLS().Lanes(snap, zone)
				traffic.HSTS().Lanes(snap, zone)
				traffic.PlainHTTP().Lanes(snap, zone)
				for _, phase := range firewallPhases {
					traffic.Firewall(phase).Lanes(snap, zone)
				}
			}
		})
	}
}

func manyRules(b *testing.B, records, rules int) *snapshot.Snapshot {
	b.Helper()
	made := snapshot.NewBuilder(snapshot.AccountRef{ID: "a"}, goodNow)
	made.Zones = []snapshot.Zone{{ID: "z", Name: "site.example", Status: "active", Plan: "enterprise"}}
	var all []snapshot.DNSRecord
	for i := range records {
		all = append(all, snapshot.DNSRecord{ID: fmt.Sprint(i), Name: fmt.Sprintf("h%d.site.example", i), Type: "A", Content: "8.8.8.8",
			Proxied: true})
	}
	snapshot.Put(made, snapshot.ZoneDNSRecords, "z", all)
	snapshot.Put(made, snapshot.ZoneSettings, "z", snapshot.Settings{}.With("ssl", "strict").With("always_use_https", "off"))
	snapshot.Put(made, snapshot.ZonePageRules, "z", []snapshot.PageRule{})
	snapshot.Put(made, snapshot.ZoneRulesets, "z", []snapshot.RulesetInfo{})
	snapshot.Put(made, snapshot.AccountRulesets, "a", []snapshot.RulesetInfo{})
	forms := []string{`http.host eq "h%d.site.example" and http.request.uri.path contains "/a%[1]d"`,
		`ip.src in {10.%d.0.0/16} and http.request.method eq "POST"`,
		`starts_with(http.request.uri.path, "/p%d/") or http.user_agent contains "bot%[1]d"`,
		`ip.src.country in {"DE" "FR"} and cf.bot_management.score lt %d`}
	phase := func(k snapshot.Key[snapshot.Ruleset], n int, change func(*snapshot.Rule)) {
		out := snapshot.Ruleset{ID: k.Source()}
		for i := range n {
			r := snapshot.Rule{ID: fmt.Sprint(k.Source(), i), Enabled: true, Expression: fmt.Sprintf(forms[i%len(forms)], i%90+1)}
			change(&r)
			out.Rules = append(out.Rules, r)
		}
		snapshot.Put(made, k, "z", out)
	}
	phase(snapshot.ZonePhaseConfig, rules/5, func(r *snapshot.Rule) {
		r.Action, r.Params.Config = "set_config", &snapshot.ConfigParams{SSL: "full"}
	})
	phase(snapshot.ZonePhaseCustom, rules/5, func(r *snapshot.Rule) { r.Action = "managed_challenge" })
	phase(snapshot.ZonePhaseRate, rules/5, func(r *snapshot.Rule) { r.Action = "block" })
	phase(snapshot.ZonePhaseManaged, rules/5, func(r *snapshot.Rule) { r.Action, r.Params.ExecuteID = "execute", "m" })
	phase(snapshot.ZonePhaseResponse, rules/5, func(r *snapshot.Rule) {
		r.Action, r.Params.Headers = "rewrite", map[string]snapshot.HeaderOp{"strict-transport-security": {Operation: "set", Value: "max-age=1"}}
	})
	snap, err := made.Build()
	require.NoError(b, err)
	return snap
}
