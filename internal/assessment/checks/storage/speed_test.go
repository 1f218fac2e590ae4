package storage

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// BenchmarkCustomDomain judges the domain of a bucket in a zone of 100 rules.
func BenchmarkCustomDomain(b *testing.B) {
	made := goodtest.Snapshot()
	var rules []snapshot.Rule
	for i := range 100 {
		form := []string{`http.request.uri.path contains "/a%d" and http.user_agent contains "b%[1]d"`,
			`ip.src in {45.%d.0.0/16} and http.cookie contains "c"`,
			`starts_with(http.request.uri.path, "/p%d/")`, `ip.src.country in {"DE" "FR"} and cf.bot_management.score lt %d`}[i%4]
		rules = append(rules, snapshot.Rule{ID: fmt.Sprint(i), Enabled: true, Action: []string{"block", "managed_challenge", "skip"}[i%3],
			Expression: fmt.Sprintf(form, i)})
	}
	snapshot.Put(made, snapshot.ZonePhaseCustom, goodtest.Zone, snapshot.Ruleset{ID: "cr", Kind: "zone", Rules: rules})
	var domains []snapshot.R2Domain
	for i := range 10 {
		name := fmt.Sprintf("open%d.%s", i, goodtest.Domain)
		domains = append(domains, snapshot.R2Domain{Domain: name, Enabled: true, MinTLS: "1.2", ZoneID: goodtest.Zone})
		goodtest.AddRecord(snapshot.DNSRecord{ID: name, Name: name, Type: "CNAME", Content: "public.r2.dev", Proxied: true,
			Proxiable: true})(made)
	}
	put(snapshot.R2CustomDomains, goodtest.Bucket, domains)(made)
	snap, err := made.Build()
	require.NoError(b, err)
	for b.Loop() {
		check.Run(snap, []check.Check{customDomain()}, policy.Default())
	}
}
