package platform

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// searchEndpoint finds indexes that answer anyone. A public endpoint never requires a credential;
// Access can, in front of a custom domain with a proxied record, if the hostname at Cloudflare's
// own domain is disabled
// (developers.cloudflare.com/ai-search/configuration/retrieval/public-endpoint/cloudflare-access/).
func searchEndpoint() check.Check {
	return check.Check{
		ID: "CFL-AISEARCH-001", Title: "AI Search answers only who signed in",
		Category: "ai-gateway", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A public endpoint of AI Search asks for no credential. Anyone with its hostname searches and questions everything " +
			"that is indexed; allowed origins bind browsers alone.",
		Fix: "Turn the public endpoint off, or put a custom domain with Access in front of it and turn the default hostname off.",
		Words: posture.Words{
			Problem: "AI Search of this account answers questions from anyone",
			Impact:  "Anyone who learns the hostname reads indexed documents piece by piece and spends your model budget.",
			Breaks:  "Search boxes, chat windows and agents that use the endpoint without signing in.",
			Dashboard: "AI › AI Search › the instance › Settings › Public Endpoints: Off, or a custom domain that an Access application " +
				"covers.",
		},
		References: []string{"https://developers.cloudflare.com/ai-search/configuration/retrieval/public-endpoint/",
			"https://developers.cloudflare.com/ai-search/configuration/retrieval/public-endpoint/cloudflare-access/"},
		Controls: check.Controls{
			check.Supports("cis 3.3", "Indexed documents are open to those who signed in."),
			check.Supports("soc2 CC6.1", "Sign-in stands before the search over documents."),
			check.Supports("pci 7.2.1", "Searching documents takes a grant."),
			check.Supports("nist PR.AA-05", "Access to indexed content follows from a policy."),
		},
		Needs: []snapshot.Named{snapshot.AISearchNamespaces, snapshot.AISearchInstances, snapshot.AccessApps,
			snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.GatewayListItems,
			snapshot.DevicePosture},
		Evaluate: evaluateSearchEndpoint,
	}
}

func indexes(namespace snapshot.AISearch, all ...snapshot.AISearch) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		namespace.ID = "default"
		put(snapshot.AISearchNamespaces, []snapshot.AISearch{namespace})(b)
		snapshot.Put(b, snapshot.AISearchInstances, "default", all)
	}
}

func index(kind string, defaultHost bool, domains ...string) snapshot.AISearch {
	return snapshot.AISearch{ID: "handbook", Type: kind, Public: true, Ways: 3, DefaultHost: &defaultHost, Domains: domains}
}

const searchHost = "search." + goodtest.Domain

func searchEndpointGood(b *snapshot.Builder) {
	goodtest.Edits(indexes(snapshot.AISearch{}, index("r2", false, searchHost)),
		goodtest.AddRecord(snapshot.DNSRecord{ID: "search", Type: "CNAME",
			Name: searchHost, Content: "x.search.ai.cloudflare.com", Proxied: true}),
		func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				*as = append(*as, snapshot.AccessApp{ID: "search", Name: "Search", Type: "self_hosted",
					Domain: searchHost, Domains: []string{searchHost}})
			})
		})(b)
}

func searchEndpointExamples() []goodtest.Example {
	off := index("r2", true)
	off.Public = false
	silent := index("r2", true)
	silent.Ways = 0
	unreported := index("r2", false, searchHost)
	unreported.DefaultHost = nil
	bare := index("r2", true)
	bare.DefaultHost = nil
	untold := index("r2", true)
	untold.Public, untold.Untold = false, true
	return []goodtest.Example{
		{Name: "whether the endpoint is on is not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: indexes(snapshot.AISearch{}, untold)},
		{Name: "behind Access", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "off", Want: posture.Pass, Edit: indexes(snapshot.AISearch{}, off)},
		{Name: "on, with each endpoint off", Want: posture.Pass, Edit: indexes(snapshot.AISearch{}, silent)},
		{Name: "a bucket for anyone", Want: posture.Fail, Resource: goodtest.Account, Edit: indexes(snapshot.AISearch{}, index("r2", true))},
		{Name: "behind an application that lets everyone in", Want: posture.Fail, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				for i := range *as {
					(*as)[i].Policies = []snapshot.AccessPolicy{{ID: "p9", Decision: "bypass", Include: []snapshot.AccessRule{{Kind: "everyone"}}}}
				}
			})
		}},
		{Name: "behind Access, and the default hostname is on", Want: posture.Fail,
			Edit: indexes(snapshot.AISearch{}, index("r2", true, searchHost))},
		{Name: "the default hostname is not told and there is no other", Want: posture.Fail, Edit: indexes(snapshot.AISearch{}, bare)},
		{Name: "the default hostname is not told", Want: posture.Unknown, Edit: indexes(snapshot.AISearch{}, unreported)},
		{Name: "the default hostname is not told, and a custom domain is without Access", Want: posture.Fail, Edit: indexes(snapshot.AISearch{},
			snapshot.AISearch{ID: "handbook", Type: "r2", Public: true, Ways: 3, Domains: []string{"www." + goodtest.Domain}})},
		{Name: "behind Access, beside a record of another type", Want: posture.Pass, Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "0text",
			Type: "TXT", Name: searchHost, Content: "site-verification=1"})},
		{Name: "a custom domain without Access", Want: posture.Fail,
			Edit: indexes(snapshot.AISearch{}, index("r2", false, "www."+goodtest.Domain))},
		{Name: "a website for anyone", Want: posture.Warning, Resource: goodtest.Account,
			Edit: indexes(snapshot.AISearch{}, index("web-crawler", true))},
		{Name: "a namespace for anyone", Want: posture.Fail, Edit: indexes(index("", true))},
		{Name: "behind Access, with a record that is not proxied", Want: posture.Fail,
			Edit: goodtest.EditRecord("search", func(r *snapshot.DNSRecord) { r.Proxied = false })},
		{Name: "behind Access, with a record that is not there", Want: posture.Unknown,
			Edit: goodtest.EditRecord("search", func(r *snapshot.DNSRecord) { r.Name = "other." + goodtest.Domain })},
		{Name: "instances of a namespace were not read", Want: posture.Unknown,
			Edit: put(snapshot.AISearchNamespaces, []snapshot.AISearch{{ID: "default"}, {ID: "team"}})},
		{Name: "nothing is indexed", Want: posture.NotApplicable, Edit: put(snapshot.AISearchNamespaces, []snapshot.AISearch{})},
		{Name: "not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.AISearchNamespaces)},
	}
}

func evaluateSearchEndpoint(v *check.View) check.Outcome {
	var t check.Tally
	doors := check.DoorsOf(v)
	judge := func(s snapshot.AISearch, what string, source snapshot.Named) {
		open, sure := "", true
		switch {
		case s.Untold:
			sure = false
		case !s.Public || s.Ways == 0:
		case s.DefaultHost == nil && len(s.Domains) == 0, s.DefaultHost != nil && *s.DefaultHost:
			open = "the default hostname"
		default:
			open, sure = openDomain(v, doors, s.Domains)
			sure = sure && (open != "" || s.DefaultHost != nil)
		}
		row := check.Evidence(source, "/"+s.ID+"/public_endpoint", open, "off, or behind Access")
		switch {
		case !sure:
			t.Unknown("whether anyone can ask the " + what + " " + s.ID + " is not told")
		case open == "":
			t.Pass()
		case s.Type == "web-crawler":
			t.Warn(s.ID, s.ID, row)
		default:
			t.Fail(s.ID, s.ID, row)
		}
	}
	read := v.ItemsOf(snapshot.AISearchInstances)
	for _, n := range check.Read(v, snapshot.AISearchNamespaces) {
		judge(n, "namespace", snapshot.AISearchNamespaces)
		if !slices.Contains(read, n.ID) {
			t.Unknown("the instances of the namespace " + n.ID + " were not read")
			continue
		}
		for _, s := range check.ReadAt(v, snapshot.AISearchInstances, n.ID) {
			judge(s, "instance", snapshot.AISearchInstances)
		}
	}
	return t.Done(v, check.Said{None: "AI Search indexes nothing", Fail: "Anyone can question these indexes of AI Search",
		Warn: "Anyone can question these indexes of a website", Pass: "No index of AI Search answers who did not sign in."})
}

// openDomain returns a custom domain that admits everyone, "" when Access protects each; sure is
// false when that is not known.
func openDomain(v *check.View, doors []exposure.AccessEndpoint, domains []string) (open string, sure bool) {
	sure = true
	for _, d := range domains {
		proxied, known := proxiedName(v, d)
		switch guard := exposure.Guarded(doors, d, ""); {
		case guard != exposure.GuardedWhole && guard != exposure.UnsureGuard, known && !proxied:
			return d, true
		case guard == exposure.UnsureGuard || !known:
			sure = false
		}
	}
	return "", sure
}

// proxiedName reports whether the record of a name is proxied.
func proxiedName(v *check.View, name string) (proxied, known bool) {
	for _, z := range v.Zones() {
		if !exposure.Within(name, z.Name) {
			continue
		}
		records, _ := check.ReadOptionalAt(v, snapshot.ZoneDNSRecords, z.ID)
		for _, r := range records {
			if strings.EqualFold(strings.TrimSuffix(r.Name, "."), name) && slices.Contains([]string{"A", "AAAA", "CNAME"}, r.Type) {
				return r.Proxied, true
			}
		}
	}
	return false, false
}
