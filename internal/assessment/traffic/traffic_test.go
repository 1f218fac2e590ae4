package traffic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

var goodNow = goodtest.Now()

// configured is a zone with one rule that switches TLS to the origin off.
func configured(t *testing.T, expression string, edits ...func(*snapshot.Builder)) *snapshot.Snapshot {
	t.Helper()
	b := goodtest.Snapshot()
	goodtest.OwnHosts(b)
	snapshot.Put(b, snapshot.ZonePhaseConfig, goodtest.Zone, snapshot.Ruleset{ID: "c", Rules: []snapshot.Rule{{ID: "r1", Enabled: true,
		Action: "set_config", Expression: expression, Params: snapshot.RuleParams{Config: &snapshot.ConfigParams{SSL: "off"}}}}})
	for _, edit := range edits {
		edit(b)
	}
	snap, err := b.Build()
	require.NoError(t, err)
	return snap
}

// TestLanesByExpression says of which part of the requests to the zone an expression takes, over HTTP and over HTTPS.
func TestLanesByExpression(t *testing.T) {
	all, part, none := traffic.Coverage{All: truth.Yes, Some: truth.Yes}, traffic.Coverage{Some: truth.Yes}, traffic.Coverage{}
	open := traffic.Coverage{All: truth.Undecided, Some: truth.Undecided}
	maybe := traffic.Coverage{Some: truth.Undecided}
	for text, want := range map[string][2]traffic.Coverage{
		"true": {all, all}, "false": {none, none}, "ssl": {none, all}, "not ssl": {all, none}, "ssl eq false": {all, none},
		"ssl or not ssl": {all, all}, "ssl and not ssl": {none, none}, "ssl xor ssl": {none, none},
		`http.request.scheme eq "http"`:                                                                         {all, none},
		`http.request.scheme in {"http" "ws"}`:                                                                  {all, none},
		`starts_with(http.request.full_uri, "http://")`:                                                         {all, none},
		`http.request.full_uri wildcard "https://*"`:                                                            {none, all},
		`http.request.full_uri wildcard "http://shop.example/*"`:                                                {part, none},
		`http.host eq "other.example"`:                                                                          {none, none},
		`not http.host eq "other.example"`:                                                                      {all, all},
		`http.host in {"shop.example" "www.shop.example"}`:                                                      {part, part},
		`ends_with(http.host, "shop.example")`:                                                                  {all, all},
		`cf.zone.plan eq "ENT"`:                                                                                 {all, all},
		`cf.zone.name eq "other.example"`:                                                                       {none, none},
		`http.request.uri.path eq "/a" or http.request.uri.path ne "/a"`:                                        {all, all},
		`http.request.uri.path eq "/a" and http.request.uri.path eq "/b"`:                                       {none, none},
		`starts_with(http.request.uri.path, "/a") and http.request.uri.path matches "^/b"`:                      {none, none},
		`starts_with(http.request.uri.path, "/a") and ends_with(http.request.uri.path, "z")`:                    {part, part},
		`len(http.request.uri.path) gt 20`:                                                                      {part, part},
		`lower(http.request.uri.path) eq "/login"`:                                                              {part, part},
		`ip.src in {10.0.0.0/8} and ip.src eq 10.1.2.3`:                                                         {none, none},
		`ip.src in {45.0.0.0/8} and ip.src eq 45.1.2.3`:                                                         {part, part},
		`ip.src in {45.0.0.0/8} and ip.src eq 46.1.2.3`:                                                         {none, none},
		`ip.src in $nobody_knows`:                                                                               {open, open},
		`ip.src in $cf.open_proxies`:                                                                            {part, part},
		`any(http.request.headers["x"][*] eq "1")`:                                                              {part, part},
		`any(cf.bot_management.detection_ids[*] eq 33554817)`:                                                   {part, part},
		`any(cf.bot_management.detection_ids[*] in {5 7}) and not any(cf.bot_management.detection_ids[*] eq 5)`: {part, part},
		`any(cf.bot_management.detection_ids[*] eq 5) and any(cf.bot_management.detection_ids[*] eq 7)`:         {part, part},
		`all(cf.bot_management.detection_ids[*] gt 5) and any(cf.bot_management.detection_ids[*] eq 5)`:         {none, none},
		`is_timed_hmac_valid_v0("k", http.request.uri, 1, http.request.timestamp.sec, 8)`:                       {part, part},
		"odd(": {open, open},
		`http.user_agent contains "a" and http.user_agent contains "b" and http.user_agent contains "c"`:      {part, part},
		`http.cookie contains "b" and starts_with(http.cookie, "a") and ends_with(http.cookie, "c")`:          {part, part},
		`http.cookie matches "^a[0-9]" and http.cookie matches "b+" and http.cookie matches "\\.c$"`:          {part, part},
		`http.request.uri.path wildcard "/a/*/b" and http.request.uri.path contains "zip"`:                    {part, part},
		`starts_with(http.request.uri.path, "/api/") and len(http.request.uri.path) gt 30`:                    {part, part},
		`any(http.request.uri.args["q"][*] contains "a") and any(http.request.uri.args["q"][*] contains "b")`: {part, part},
		`any(http.request.headers["x"][*] eq "a") and any(http.request.headers["x"][*] eq "b")`:               {part, part},
		`http.user_agent contains "a" and not http.user_agent matches "."`:                                    {none, none},
		`http.request.uri.path in {` + manyPaths(700) + `} and http.request.uri.path eq "/p650"`:              {part, part},
		`len(http.user_agent) in {100..200}`:                                                                  {part, part},
		`len(http.user_agent) gt 20000`:                                                                       {maybe, maybe},
		`len(http.request.uri) gt 30000`:                                                                      {maybe, maybe},
		`http.request.uri contains "debug=1" and http.request.uri.path eq "/login"`:                           {part, part},
		`http.request.full_uri contains "debug=1" and http.request.uri.path eq "/login"`:                      {part, part},
		`http.request.uri matches "q=.*select" and http.request.uri.path eq "/search"`:                        {part, part},
		`http.request.uri matches "a.{9}b.*c.{9}d"`:                                                           {part, part},
		`http.user_agent matches "a.{9}b.*c.{9}d"`:                                                            {part, part},
		`starts_with(http.request.uri, "/search?q=") and http.request.uri contains "union"`:                   {part, part},
		`ends_with(http.request.uri, "debug=1") and http.request.uri.path eq "/login"`:                        {part, part},
		`http.request.uri wildcard "*token=*" and http.request.uri.path eq "/x"`:                              {part, part},
		`http.request.uri eq "/a?b" and http.request.uri.query ne "b"`:                                        {none, none},
		`http.request.full_uri eq "https://shop.example/a?b"`:                                                 {none, part},
		`http.request.full_uri contains "op.example/a"`:                                                       {part, part},
		`http.request.uri.path.extension eq ""`:                                                               {part, part},
		`http.request.uri.path.extension ne ""`:                                                               {part, part},
		`not http.request.uri.path.extension eq ""`:                                                           {part, part},
		`http.request.uri.path.extension in {"" "php"}`:                                                       {part, part},
		`not http.request.uri.path.extension in {"" "php"}`:                                                   {part, part},
		`http.request.uri.path.extension eq "php"`:                                                            {part, part},
		`len(http.request.uri.path.extension) gt 0`:                                                           {part, part},
		`len(http.request.uri.path.extension) eq 0`:                                                           {part, part},
		`http.request.uri.path.extension contains "ph"`:                                                       {part, part},
		`http.request.uri.path.extension matches "^(php|asp)$"`:                                               {part, part},
		`starts_with(http.request.uri.path.extension, "p")`:                                                   {part, part},
		`ends_with(http.request.uri.path.extension, "hp")`:                                                    {part, part},
		`http.request.uri.path.extension wildcard "p*"`:                                                       {part, part},
		`upper(http.request.uri.path.extension) eq "PHP"`:                                                     {part, part},
		`http.request.uri.path.extension eq "php" and starts_with(http.request.uri.path, "/a")`:               {part, part},
		`http.request.uri.path.extension matches "."`:                                                         {part, part},
		`http.request.uri.path.extension eq "php" and http.request.uri.path.extension eq "asp"`:               {none, none},
		`http.request.uri.path.extension eq "" and http.request.uri.path contains ".php"`:                     {part, part},
		`http.request.uri.path.extension gt "m"`:                                                              {part, part},
		`http.request.uri.path.extension eq "PHP"`:                                                            {none, none},
		`lower(http.user_agent) contains "SQLMAP"`:                                                            {none, none},
	} {
		snap := configured(t, text)
		off := func(v traffic.Value[string]) truth.Value {
			return v.Holds(func(mode string) bool { return mode == "off" })
		}
		for i, scheme := range []string{"not ssl", "ssl"} {
			lanes := traffic.OriginTLS().Of("", scheme).Lanes(snap, snap.Zones[0])
			require.Equal(t, want[i], traffic.Cover(lanes, off), "%s, %s", text, scheme)
		}
	}
}

// TestNameOfAnInternationalZone: no page says in which of its forms Cloudflare compares it. What is the same for both is known.
func TestNameOfAnInternationalZone(t *testing.T) {
	all, none, open := traffic.Coverage{All: truth.Yes, Some: truth.Yes}, traffic.Coverage{}, traffic.Coverage{All: truth.Undecided,
		Some: truth.Undecided}
	for text, want := range map[string]traffic.Coverage{
		"true": all, `cf.zone.name eq "other.example"`: none, `not cf.zone.name in {"other.example" "next.example"}`: all,
		`cf.zone.name in {"xn--bcher-kva.example" "bücher.example"}`: all, `ssl and cf.zone.name ne "other.example"`: all,
		`cf.zone.name eq "bücher.example"`: open, `ends_with(cf.zone.name, ".example") and http.host eq "www.other.example"`: none,
	} {
		snap := configured(t, text, goodtest.EditZone(func(z *snapshot.Zone) { z.Name = "xn--bcher-kva.example" }), goodtest.AddRecord(
			snapshot.DNSRecord{ID: "i1", Name: "xn--bcher-kva.example", Type: "A", Content: "45.60.10.1", Proxied: true}))
		lanes := traffic.OriginTLS().Of("xn--bcher-kva.example", "ssl").Lanes(snap, snap.Zones[0])
		require.Equal(t, want, traffic.Cover(lanes, func(v traffic.Value[string]) truth.Value {
			return v.Holds(func(mode string) bool { return mode == "off" })
		}), text)
	}
}

func manyPaths(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`"/p%d"`, i))
	}
	return strings.Join(out, " ")
}

// TestHostsBelowAWildcard: a condition on a part of a name takes some of the names that a wildcard covers, and not all.
func TestHostsBelowAWildcard(t *testing.T) {
	for _, text := range []string{`starts_with(http.host, "staging.")`, `http.host contains "staging"`, `http.host matches "^staging\."`,
		`http.host wildcard "*.api.shop.example"`, `ends_with(http.host, "-dev.shop.example")`, `http.host eq "staging.shop.example"`,
		`http.request.full_uri wildcard "http*://staging.*"`, `not starts_with(http.host, "www")`,
		`len(http.host) gt 30`, `not len(http.host) lt 40`, `len(http.host) eq 200`, `len(http.host) lt 15`,
		`http.host wildcard "staging*.shop.example" and http.request.uri.path strict wildcard "/*"`} {
		snap := configured(t, text, func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneDNSRecords, goodtest.Zone, func(records *[]snapshot.DNSRecord) {
				*records = append(*records, snapshot.DNSRecord{ID: "w", Name: "*.shop.example", Type: "A", Content: "8.8.8.8", Proxied: true})
			})
		})
		got := traffic.Cover(traffic.OriginTLS().Lanes(snap, snap.Zones[0]), func(v traffic.Value[string]) truth.Value {
			return v.Holds(func(mode string) bool { return mode == "off" })
		})
		require.Equal(t, traffic.Coverage{Some: truth.Yes}, got, text)
	}
}

// TestLargeRulesets: what is beyond the bounds is undecided, and neither lost nor long in coming.
func TestLargeRulesets(t *testing.T) {
	var terms []string
	for i := range 3000 {
		terms = append(terms, fmt.Sprintf(`http.user_agent contains "a%d-"`, i))
	}
	snap := configured(t, strings.Join(terms[:100], " or "), func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZonePhaseConfig, goodtest.Zone, func(of *snapshot.Ruleset) {
			for i := 1; i < 30; i++ {
				next := of.Rules[0]
				next.ID, next.Expression = fmt.Sprint("r", i), strings.Join(terms[100*i:100*i+100], " or ")
				of.Rules = append(of.Rules, next)
			}
		})
	})
	got := traffic.Cover(traffic.OriginTLS().Of("", `http.user_agent contains "a2950-"`).Lanes(snap, snap.Zones[0]),
		func(v traffic.Value[string]) truth.Value {
			return v.Holds(func(mode string) bool { return mode == "off" })
		})
	require.NotEqual(t, truth.No, got.Some)
}

// TestManyPatterns: rules with patterns as the dashboard suggests them, each of which also fits addresses that hold the text of others.
func TestManyPatterns(t *testing.T) {
	rules := func(n int, of snapshot.Rule) (out []snapshot.Rule) {
		for i := range n {
			of.ID, of.Enabled = fmt.Sprint("r", i), true
			of.Expression = fmt.Sprintf(`http.request.full_uri wildcard "http*://*.shop.example/old/%d/*"`, i)
			out = append(out, of)
		}
		return out
	}
	put := func(k snapshot.Key[snapshot.Ruleset], rules []snapshot.Rule) *snapshot.Snapshot {
		return configured(t, "ssl", func(b *snapshot.Builder) {
			snapshot.Put(b, k, goodtest.Zone, snapshot.Ruleset{ID: "many", Rules: rules})
		})
	}
	modes := rules(20, snapshot.Rule{Action: "set_config"})
	for i, mode := range []string{"full", "flexible"} {
		for j := i; j < len(modes); j += 2 {
			modes[j].Params.Config = &snapshot.ConfigParams{SSL: mode}
		}
	}
	snap := put(snapshot.ZonePhaseConfig, modes)
	for _, l := range traffic.OriginTLS().Lanes(snap, snap.Zones[0]) {
		require.Nil(t, l.Value.Doubt)
	}
	for action, params := range map[string]snapshot.RuleParams{"block": {}, "skip": {Phases: []string{traffic.ManagedRules}}} {
		snap := put(snapshot.ZonePhaseCustom, rules(20, snapshot.Rule{Action: action, Params: params}))
		for _, l := range traffic.Firewall(traffic.ManagedRules).Lanes(snap, snap.Zones[0]) {
			for _, a := range l.Value.Acts {
				require.True(t, a.Sure, "%s: %s", action, a.By.Rule)
			}
		}
	}
}

func TestHostsByWhatStandsBehindThem(t *testing.T) {
	record := func(name, kind, content string) snapshot.DNSRecord {
		return snapshot.DNSRecord{ID: name + kind + content, Name: name, Type: kind, Content: content, Proxied: true}
	}
	kinds := map[string]traffic.Kind{}
	for _, h := range traffic.Hosts([]snapshot.DNSRecord{
		record("a.example", "A", "8.8.8.8"), record("b.example", "AAAA", "100::"), record("c.example", "CNAME", "x.cfargotunnel.com"),
		record("d.example", "CNAME", "B.example."), record("e.example", "CNAME", "d.example"), record("f.example", "CNAME", "shop.pages.dev"),
		record("g.example", "A", "192.0.2.1"), record("g.example", "A", "9.9.9.9"), record("h.example", "CNAME", "h.example"),
		record("*.example", "CNAME", "host.elsewhere.test"), {ID: "n", Name: "n.example", Type: "A", Content: "8.8.8.8"},
	}, nil) {
		kinds[h.Name] = h.Kind
	}
	require.Equal(t, map[string]traffic.Kind{"a.example": traffic.Origin, "b.example": traffic.Placeholder, "c.example": traffic.Tunnel,
		"d.example": traffic.Placeholder, "e.example": traffic.Placeholder, "f.example": traffic.Pages, "g.example": traffic.Origin,
		"h.example": traffic.Origin, "*.example": traffic.Origin}, kinds)
}

// TestManyNamesBelowAWildcard: a name beyond the bound is undecided, and not taken for one that nobody asks for.
func TestManyNamesBelowAWildcard(t *testing.T) {
	var names []string
	for i := range 250 {
		names = append(names, fmt.Sprintf(`"n%d.shop.example"`, i))
	}
	for text, want := range map[string]truth.Value{
		`http.host in {` + strings.Join(names[:150], " ") + `} and http.host eq "n149.shop.example"`: truth.Yes,
		`http.host in {` + strings.Join(names, " ") + `} and http.host eq "n249.shop.example"`:       truth.Undecided,
	} {
		snap := configured(t, text, func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneDNSRecords, goodtest.Zone, []snapshot.DNSRecord{
				{ID: "w", Name: "*.shop.example", Type: "A", Content: "8.8.8.8", Proxied: true}})
		})
		got := traffic.Cover(traffic.OriginTLS().Lanes(snap, snap.Zones[0]), func(v traffic.Value[string]) truth.Value {
			return v.Holds(func(mode string) bool { return mode == "off" })
		})
		require.Equal(t, want, got.Some, text[len(text)-40:])
	}
}
