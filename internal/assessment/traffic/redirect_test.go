package traffic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// plain lists the outcomes of plain HTTP on a zone without Always Use HTTPS, with what the edits add.
func plain(t *testing.T, edits ...func(*snapshot.Builder)) []string {
	t.Helper()
	b := snapshot.NewBuilder(snapshot.AccountRef{ID: "acc"}, goodtest.Now())
	b.Zones = []snapshot.Zone{{ID: "zone", Name: "shop.example", Status: "active", Type: "full", Plan: "pro"}}
	snapshot.Put(b, snapshot.ZoneList, "acc", b.Zones)
	snapshot.Put(b, snapshot.ZoneDNSRecords, "zone", []snapshot.DNSRecord{
		{ID: "r", Name: "shop.example", Type: "A", Content: "8.8.8.8", Proxied: true}})
	snapshot.Put(b, snapshot.ZoneLoadBalancers, "zone", []snapshot.LoadBalancer{})
	snapshot.Put(b, snapshot.ZoneCustomHostnames, "zone", []snapshot.CustomHostname{})
	snapshot.Put(b, snapshot.ZoneSettings, "zone", snapshot.Settings{}.With("always_use_https", "off"))
	snapshot.Put(b, snapshot.ZoneRulesets, "zone", []snapshot.RulesetInfo{})
	snapshot.Put(b, snapshot.AccountRulesets, "acc", []snapshot.RulesetInfo{})
	snapshot.Put(b, snapshot.ZonePhaseRedirect, "zone", snapshot.Ruleset{})
	snapshot.Put(b, snapshot.AccountPhaseRedirect, "acc", snapshot.Ruleset{})
	snapshot.Put(b, snapshot.ZonePageRules, "zone", []snapshot.PageRule{})
	snapshot.Put(b, snapshot.ZoneWorkerRoutes, "zone", []snapshot.WorkerRoute{})
	for _, edit := range edits {
		edit(b)
	}
	snap, err := b.Build()
	require.NoError(t, err)
	var out []string
	for _, l := range traffic.PlainHTTP().Lanes(snap, b.Zones[0]) {
		possible := append([]string{l.Value.Is}, l.Value.Or...)
		slices.Sort(possible)
		out = append(out, strings.Join(possible, " or "))
		require.Equal(t, len(l.Value.Or) > 0, l.Value.Doubt != nil)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

const (
	secure, clear = traffic.ToHTTPS, traffic.InClear
	either        = traffic.InClear + " or " + traffic.ToHTTPS
)

func redirects(rules ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZonePhaseRedirect, "zone", snapshot.Ruleset{Rules: rules})
	}
}

func redirect(condition, to string) snapshot.Rule {
	return snapshot.Rule{ID: condition + to, Enabled: true, Action: "redirect", Expression: condition,
		Params: snapshot.RuleParams{RedirectTo: to, RedirectRaw: strings.ContainsAny(to, `("`)}}
}

func TestRedirectTargets(t *testing.T) {
	for to, want := range map[string][]string{
		"https://shop.example/":        {secure},
		"http://shop.example/":         {clear},
		"/shop":                        {clear},
		`"https://shop.example/"`:      {secure},
		`concat("/", http.host)`:       {clear},
		`concat("HTTPS://", "a")`:      {secure},
		`lower(http.request.full_uri)`: {either},
		"odd(":                         {either},
		"concat()":                     {either},
		`concat("https://", http.host, http.request.uri.path)`:                                {secure},
		`concat("http://", http.host)`:                                                        {clear},
		`concat(http.host, "https://")`:                                                       {either},
		`wildcard_replace(http.request.full_uri, "http://*", "https://${1}")`:                 {secure},
		`wildcard_replace(http.request.full_uri, "http*://*", "https://${2}")`:                {secure},
		`wildcard_replace(http.request.full_uri, "*://*/*", "https://${2}/${3}")`:             {secure},
		`wildcard_replace(http.request.full_uri, "http://*")`:                                 {either},
		`wildcard_replace(http.request.full_uri, "https://*", "https://www.${1}")`:            {clear},
		`wildcard_replace(http.request.full_uri, "http://www.*", "https://${1}")`:             {clear},
		`wildcard_replace(http.request.full_uri, "http://*/old/*", "https://${1}/${2}")`:      {clear, secure},
		`wildcard_replace(http.request.full_uri, "HTTP://*/OLD/*", "https://${1}/${2}", "s")`: {clear},
		`wildcard_replace(http.request.uri.path, "/old/*", "https://shop.example/${1}")`:      {clear, secure},
		`regex_replace(http.request.full_uri, "^http:", "https://x")`:                         {secure},
		`regex_replace(http.request.full_uri, "^http://", "https://")`:                        {secure},
		`regex_replace(http.request.full_uri, "http://", "https://")`:                         {secure},
		`regex_replace(http.request.full_uri, "^https://(.*)$", "https://x/${1}")`:            {clear},
		`regex_replace(http.request.full_uri, "^https?://(.*)$", "https://x/${1}")`:           {secure},
		`regex_replace(http.request.full_uri, "^http://[^/]*/old", "https://x/")`:             {clear, secure},
		`regex_replace(http.request.full_uri, "/old/", "https://x/")`:                         {clear, either},
	} {
		require.Equal(t, want, plain(t, redirects(redirect("true", to))), to)
	}
}

// TestPerhapsRedirected follows rules of which nobody knows whether they act.
func TestPerhapsRedirected(t *testing.T) {
	const perhaps = "a condition nobody can read"
	page := func(priority int, target string, actions map[string]string) snapshot.PageRule {
		return snapshot.PageRule{ID: target, Status: "active", Priority: priority, Targets: []string{target}, Actions: actions}
	}
	pages := func(rules ...snapshot.PageRule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZonePageRules, "zone", rules) }
	}
	always := map[string]string{"always_use_https": ""}
	forward := map[string]string{"forwarding_url": `{"url": "http://other.example/", "status_code": 302}`}
	unread := func(source snapshot.Named, scope string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			b.Set(snapshot.Section{Source: source.Source(), Scope: scope, Status: snapshot.Denied, Permission: "x"})
		}
	}
	for name, c := range map[string]struct {
		edits []func(*snapshot.Builder)
		want  []string
	}{
		"perhaps to HTTPS":  {[]func(*snapshot.Builder){redirects(redirect(perhaps, "https://a/"))}, []string{either}},
		"perhaps to HTTP":   {[]func(*snapshot.Builder){redirects(redirect(perhaps, "http://a/"))}, []string{clear}},
		"perhaps somewhere": {[]func(*snapshot.Builder){redirects(redirect(perhaps, "lower(http.host)"))}, []string{either}},
		"perhaps to HTTP, else to HTTPS": {[]func(*snapshot.Builder){redirects(redirect(perhaps, "http://a/"),
			redirect("true", "https://a/"))}, []string{either}},
		"either way to HTTPS": {[]func(*snapshot.Builder){redirects(redirect(perhaps, "https://a/"),
			redirect("true", "https://b/"))}, []string{secure}},
		"unread redirects before a page rule": {[]func(*snapshot.Builder){unread(snapshot.ZonePhaseRedirect, "zone"),
			pages(page(2, "*shop.example/*", always))}, []string{either}},
		"unread page rules behind a redirect": {[]func(*snapshot.Builder){redirects(redirect("true", "https://a/")),
			unread(snapshot.ZonePageRules, "zone")}, []string{secure}},
		"perhaps another page rule": {[]func(*snapshot.Builder){pages(page(2, `shop.example/a\*b`, map[string]string{"cache_level": "bypass"}),
			page(1, "*shop.example/*", always))}, []string{either}},
		"routes unread, forwarded in clear": {[]func(*snapshot.Builder){unread(snapshot.ZoneWorkerRoutes, "zone"),
			pages(page(2, "*shop.example/*", forward), page(1, "*shop.example/*", always))}, []string{clear}},
	} {
		require.Equal(t, c.want, plain(t, c.edits...), name)
	}
}

func TestMaxAge(t *testing.T) {
	for in, want := range map[string]int{"max-age=5": 5, `includeSubDomains; Max-Age = "7"`: 7, "max-age=0": 0, "max-age=x": 0, "": 0} {
		require.Equal(t, want, traffic.HeaderHSTS(in).MaxAge, in)
	}
}
