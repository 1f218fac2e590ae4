package cache

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// personalHosts returns examples in which the host of a rule matters.
func personalHosts(fixed string) []goodtest.Example {
	www, blog := `http.host eq "www.shop.example"`, `http.host eq "blog.shop.example"`
	added := func(name string, proxied bool) func(*snapshot.Builder) {
		return goodtest.AddRecord(snapshot.DNSRecord{ID: "b1", Name: name, Type: "A", Content: "45.60.10.9", Proxied: proxied, Proxiable: true})
	}
	records := func(b *snapshot.Builder) { b.Mark(snapshot.ZoneDNSRecords.Source(), snapshot.Denied, "DNS Read", "") }
	page := func(pages ...snapshot.PageRule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, pages) }
	}
	legacy := func(id, target string, priority int, level string) snapshot.PageRule {
		return snapshot.PageRule{ID: id, Status: "active", Priority: priority, Targets: []string{target}, Actions: map[string]string{
			"cache_level": level, "edge_cache_ttl": "7200"}}
	}
	const everything = "cache_everything"
	return []goodtest.Example{
		{Name: "bypassed on its only host", Want: posture.Pass, Edit: rules(store("k1", www, fixed), bypass("k2", www))},
		{Name: "bypassed on its only host, spelled otherwise", Want: posture.Pass, Edit: rules(store("k1", www, fixed),
			bypass("k2", `starts_with(http.host, "www.")`))},
		{Name: "bypassed on another host", Want: posture.Fail, Resource: "k1",
			Edit: goodtest.Edits(added("blog.shop.example", true), rules(store("k1", www, fixed), bypass("k2", blog)))},
		{Name: "bypassed on one host of several", Want: posture.Fail, Resource: "k1", Edit: rules(store("k1", "true", fixed), bypass("k2", www))},
		{Name: "a host that is not there", Want: posture.Pass, Edit: rules(store("k1", blog, fixed))},
		{Name: "a host that is not proxied", Want: posture.Pass, Edit: goodtest.Edits(added("blog.shop.example", false),
			rules(store("k1", blog, fixed)))},
		{Name: "a host below a wildcard", Want: posture.Fail, Edit: goodtest.Edits(added("*.shop.example", true),
			rules(store("k1", blog, fixed)))},
		{Name: "a host beside a wildcard, with a record that is not proxied", Want: posture.Pass, Edit: goodtest.Edits(
			added("*.shop.example", true), added("blog.shop.example", false), rules(store("k1", blog, fixed)))},
		{Name: "every host below a wildcard but one", Want: posture.Fail, Edit: goodtest.Edits(added("*.shop.example", true),
			rules(store("k1", `ends_with(http.host, ".shop.example")`, fixed), bypass("k2", blog)))},
		{Name: "hosts that could not be read", Want: posture.Unknown, Resource: "k1",
			Edit: goodtest.Edits(records, rules(store("k1", www, fixed)))},
		{Name: "hosts that could not be read, of which the rule names the end", Want: posture.Unknown, Resource: "k1",
			Edit: goodtest.Edits(records, rules(store("k1", `ends_with(http.host, ".shop.example")`, fixed)))},
		{Name: "nothing personal, whatever the hosts", Want: posture.Pass, Edit: goodtest.Edits(records,
			rules(store("k1", `starts_with(http.request.uri.path, "/blog/")`, fixed)))},
		{Name: "what the origin says nothing about is not stored", Want: posture.Pass, Edit: rules(store("k1", "true", "bypass_by_default"))},
		{Name: "a page rule of a host that is not there", Want: posture.Pass, Edit: page(legacy("p1", "blog.shop.example/*", 1, everything))},
		{Name: "a page rule, and a cache rule bypasses its host", Want: posture.Pass,
			Edit: goodtest.Edits(rules(bypass("k1", www)), page(legacy("p1", "www.shop.example/*", 1, everything)))},
		{Name: "a page rule of plain HTTP", Want: posture.Fail, Resource: "p1",
			Edit: page(legacy("p1", "http://www.shop.example/*", 1, everything))},
		{Name: "a stronger page rule of another host", Want: posture.Fail, Resource: "p1",
			Edit: page(legacy("p1", "*shop.example/*", 1, everything), legacy("p2", "www.shop.example/*", 2, "bypass"))},
		{Name: "a weaker page rule does not act", Want: posture.Pass,
			Edit: page(legacy("p1", "www.shop.example/*", 1, everything), legacy("p2", "*shop.example/*", 2, "bypass"))},
		{Name: "a stronger page rule that is off", Want: posture.Fail, Resource: "p1",
			Edit: page(legacy("p1", "*shop.example/*", 1, everything), func() snapshot.PageRule {
				p := legacy("p2", "*shop.example/*", 2, "bypass")
				p.Status = "disabled"
				return p
			}())},
	}
}
