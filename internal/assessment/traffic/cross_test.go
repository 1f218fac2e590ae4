package traffic_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// comparison is one comparison of a text, as the rules language writes it and as Go does.
type comparison struct {
	text string
	is   func(string) bool
}

// compareRandomly returns a comparison of a field with texts of few letters, so that several often concern each other.
func compareRandomly(random *rand.Rand, field string) comparison {
	word := func() string {
		out := ""
		for range 1 + random.IntN(3) {
			out += []string{"a", "b", "B"}[random.IntN(3)]
		}
		return out
	}
	w, v, n := word(), word(), random.IntN(7)
	lead := ""
	if field == "http.request.uri.path" {
		lead = "/"
	}
	forms := []comparison{
		{fmt.Sprintf("%s eq %q", field, lead+w), func(s string) bool { return s == lead+w }},
		{fmt.Sprintf("%s ne %q", field, lead+w), func(s string) bool { return s != lead+w }},
		{fmt.Sprintf("%s in {%q %q}", field, lead+w, lead+v), func(s string) bool { return s == lead+w || s == lead+v }},
		{fmt.Sprintf("%s contains %q", field, w), func(s string) bool { return strings.Contains(s, w) }},
		{fmt.Sprintf("lower(%s) contains %q", field, w), func(s string) bool { return strings.Contains(strings.ToLower(s), w) }},
		{fmt.Sprintf("starts_with(%s, %q)", field, lead+w), func(s string) bool { return strings.HasPrefix(s, lead+w) }},
		{fmt.Sprintf("ends_with(%s, %q)", field, w), func(s string) bool { return strings.HasSuffix(s, w) }},
		{fmt.Sprintf("%s wildcard %q", field, lead+w+"*"+v), func(s string) bool {
			s, w, v := strings.ToLower(s), strings.ToLower(lead+w), strings.ToLower(v)
			return len(s) >= len(w)+len(v) && strings.HasPrefix(s, w) && strings.HasSuffix(s, v)
		}},
		{fmt.Sprintf("%s strict wildcard %q", field, "*"+w+"*"), func(s string) bool { return strings.Contains(s, w) }},
		{fmt.Sprintf("%s matches %q", field, w+"+$"), regexp.MustCompile(w + "+$").MatchString},
		{fmt.Sprintf("%s matches %q", field, "^"+lead+"[ab]*"+w), regexp.MustCompile("^" + lead + "[ab]*" + w).MatchString},
		{fmt.Sprintf("len(%s) gt %d", field, n), func(s string) bool { return len(s) > n }},
		{fmt.Sprintf("len(%s) in {%d %d..%d}", field, n, n+2, n+3), func(s string) bool {
			return len(s) == n || len(s) == n+2 || len(s) == n+3
		}},
		{fmt.Sprintf("len(%s) ne %d", field, n), func(s string) bool { return len(s) != n }},
	}
	return forms[random.IntN(len(forms))]
}

// TestSweepRulesMeetTogether: for every text of few letters there is a lane in which the same rules act, or perhaps act.
func TestSweepRulesMeetTogether(t *testing.T) {
	t.Parallel()
	zones := 1000
	if testing.Short() {
		zones = 100
	}
	texts := []string{""}
	for at := 0; len(texts[at]) < 6; at++ {
		for _, c := range []string{"a", "b", "B"} {
			texts = append(texts, texts[at]+c)
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	lanes, undecided := 0, 0
	for n := range zones {
		field, lead := "http.user_agent", ""
		if n%2 == 1 {
			field, lead = "http.request.uri.path", "/"
		}
		var rules []comparison
		b := snapshot.NewBuilder(snapshot.AccountRef{ID: "acc"}, goodtest.Now())
		b.Zones = []snapshot.Zone{{ID: "zone", Name: "shop.example", Status: "active", Type: "full", Plan: "pro"}}
		snapshot.Put(b, snapshot.ZoneList, "acc", b.Zones)
		snapshot.Put(b, snapshot.ZoneDNSRecords, "zone", []snapshot.DNSRecord{
			{ID: "r", Name: "shop.example", Type: "A", Content: "8.8.8.8", Proxied: true}})
		snapshot.Put(b, snapshot.ZoneRulesets, "zone", []snapshot.RulesetInfo{})
		set := snapshot.Ruleset{ID: "custom"}
		for i := range 2 + random.IntN(4) {
			c := compareRandomly(random, field)
			rules = append(rules, c)
			set.Rules = append(set.Rules, snapshot.Rule{ID: fmt.Sprint("r", i), Enabled: true, Action: "log", Expression: c.text})
		}
		snapshot.Put(b, snapshot.ZonePhaseCustom, "zone", set)
		snap, err := b.Build()
		require.NoError(t, err)
		all := traffic.Firewall(traffic.CustomRules).Lanes(snap, b.Zones[0])
		for _, l := range all {
			lanes++
			if slices.ContainsFunc(l.Value.Acts, func(a traffic.Act) bool { return !a.Sure }) {
				undecided++
			}
		}
		told := ""
		for _, r := range rules {
			told += "\n" + r.text
		}
		for _, text := range texts {
			text = lead + text
			require.True(t, slices.ContainsFunc(all, func(l traffic.Lane[traffic.Flow]) bool {
				for i, r := range rules {
					at := slices.IndexFunc(l.Value.Acts, func(a traffic.Act) bool { return a.Rule.ID == fmt.Sprint("r", i) })
					if acts := at >= 0; acts != r.is(text) && !(acts && !l.Value.Acts[at].Sure) {
						return false
					}
				}
				return true
			}), "no lane for %q:%s", text, told)
		}
	}
	t.Logf("%d lanes, %d undecided", lanes, undecided)
	require.Less(t, undecided*50, lanes, "at most 2 %% are undecided")
}
