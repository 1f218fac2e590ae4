package gateway

import (
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// proxies finds proxy endpoints that anyone may use.
func proxies() check.Check {
	return check.Check{
		ID: "CFL-GW-011", Title: "Proxy endpoints admit the organization's own networks",
		Category: "gateway", Severity: posture.Medium, Worst: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A proxy endpoint of the source IP kind admits whoever comes from its networks, without a sign-in. Cloudflare says that " +
			"these devices also reach applications and services behind Cloudflare Tunnel.",
		Fix: "Reduce the networks to those of your sites, or make an endpoint that asks for a sign-in.",
		Words: posture.Words{
			Problem: "A proxy endpoint of this account admits foreign networks",
			Impact: "Anyone in these networks who knows the address of the endpoint reaches private services behind Tunnel and goes out " +
				"with the addresses of your organization.",
			Breaks: "Browsers at sites that are left out of the list lose the proxy.",
			Dashboard: "Zero Trust › Networks › Resolvers & Proxies › Proxy endpoints › the endpoint › Edit: enter the networks of your " +
				"sites.",
			Terraform: `resource "cloudflare_zero_trust_gateway_proxy_endpoint" "office" {
  account_id = "{account_id}"
  name       = "Office"
  ips        = [var.office_network]
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/networks/resolvers-and-proxies/proxy-endpoints/"},
		Controls: check.Controls{
			check.Supports("cis 12.2", "The way into the private network is open to known sites only."),
			check.Supports("soc2 CC6.6", "Outsiders cannot use the proxy of the organization."),
			check.Supports("pci 1.4.2", "Traffic from networks that are not trusted does not reach internal services by the proxy."),
			check.Supports("nist PR.AA-05", "Only known sites may use the proxy."),
		},
		Needs: []snapshot.Named{snapshot.GatewayRules, snapshot.GatewayProxies},
		Optional: []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.GatewayListItems,
			snapshot.DevicePosture},
		Unless:   notOnboarded,
		Evaluate: evaluateProxies,
	}
}

func proxiesGood(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.GatewayProxies, goodtest.Account, []snapshot.GatewayProxy{{ID: "x1", Name: "Office", Kind: "ip",
		IPs: []string{"203.0.113.0/28", "2001:db8:1::/48"}}})
}

func proxiesExamples() []goodtest.Example {
	endpoint := func(kind string, ips ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.GatewayProxies, goodtest.Account, []snapshot.GatewayProxy{{ID: "x1", Name: "Office", Kind: kind, IPs: ips}})
		}
	}
	var parts []string
	for i := range 257 {
		parts = append(parts, "185.1."+strconv.Itoa(i%256)+".0/24", "186.2."+strconv.Itoa(i%256)+".0/24")
	}
	application := func(r snapshot.AccessRule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				*as = append(*as, snapshot.AccessApp{ID: "proxy", Name: "Proxy", Type: "proxy_endpoint",
					Policies: []snapshot.AccessPolicy{{ID: "o", Name: "Open", Decision: "bypass", Include: []snapshot.AccessRule{r}}}})
			})
		}
	}
	return []goodtest.Example{
		{Name: "two offices", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "one address", Want: posture.Pass, Edit: endpoint("ip", "185.1.2.3")},
		{Name: "a sign-in", Want: posture.Pass, Edit: endpoint("identity")},
		{Name: "a sign-in that its application leaves out", Want: posture.Fail, Severity: posture.High, Resource: goodtest.Account,
			Edit: goodtest.Edits(endpoint("identity"), application(snapshot.AccessRule{Kind: "everyone"}))},
		{Name: "a sign-in that its application leaves out for one address", Want: posture.Pass,
			Edit: goodtest.Edits(endpoint("identity"), application(snapshot.AccessRule{Kind: "ip", Value: "45.60.10.9/32"}))},
		{Name: "a sign-in that its application leaves out for a group that is missing", Want: posture.Unknown,
			Edit: goodtest.Edits(endpoint("identity"), application(snapshot.AccessRule{Kind: "group", Value: "g9"}))},
		{Name: "a sign-in, and nobody can read the applications", Want: posture.Unknown, Edit: goodtest.Edits(endpoint("identity"),
			func(b *snapshot.Builder) { b.Mark(snapshot.AccessApps.Source(), snapshot.Denied, "x", "") })},
		{Name: "private ranges let nobody in", Want: posture.Pass, Edit: endpoint("ip", "10.0.0.0/8")},
		{Name: "nobody", Want: posture.Pass, Edit: endpoint("ip", []string{}...)},
		{Name: "a /8", Want: posture.Fail, Resource: goodtest.Account, Edit: endpoint("ip", "185.0.0.0/8")},
		{Name: "a /8 of an endpoint without a kind", Want: posture.Fail, Edit: endpoint("", "185.0.0.0/8")},
		{Name: "everyone", Want: posture.Fail, Edit: endpoint("ip", "0.0.0.0/0")},
		{Name: "the two halves of everyone", Want: posture.Fail, Edit: endpoint("ip", "0.0.0.0/1", "128.0.0.0/1")},
		{Name: "hundreds of small networks", Want: posture.Fail, Edit: endpoint("ip", parts...)},
		{Name: "a v6 /32", Want: posture.Fail, Edit: endpoint("ip", "2a00:1::/32")},
		{Name: "a /16", Want: posture.Warning, Resource: goodtest.Account, Edit: endpoint("ip", "185.1.0.0/16")},
		{Name: "a /16 written twice", Want: posture.Warning, Edit: endpoint("ip", "185.1.0.0/16", "185.1.0.0/16", "185.1.2.0/24")},
		{Name: "a v6 /40", Want: posture.Warning, Edit: endpoint("ip", "2a00:1:100::/40")},
		{Name: "a network nobody can read", Want: posture.Unknown, Resource: goodtest.Account, Edit: endpoint("ip", "office")},
		{Name: "a kind nobody knows", Want: posture.Unknown, Edit: endpoint("header", "185.1.2.3")},
		{Name: "no endpoint", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.GatewayProxies, goodtest.Account, []snapshot.GatewayProxy{})
		}},
		{Name: "Gateway is not in use", Want: posture.NotApplicable, Edit: goodtest.Edits(absent, skip(snapshot.GatewayProxies))},
	}
}

func evaluateProxies(v *check.View) check.Outcome {
	var severe, mild []posture.Evidence
	endpoints, odd := check.Read(v, snapshot.GatewayProxies), 0
	identity := false
	for _, p := range endpoints {
		kind := strings.ToLower(p.Kind)
		if kind == "identity" {
			identity = true
			continue
		}
		seen := check.Evidence(snapshot.GatewayProxies, "/"+p.ID+"/ips", p.Name+": "+first(p.IPs), "the networks of your sites")
		switch b := breadthOf(p.IPs); {
		case !slices.Contains([]string{"", "ip"}, kind) || b == unreadable:
			odd++
		case b == open:
			severe = append(severe, seen)
		case b == wide:
			mild = append(mild, seen)
		}
	}
	if identity {
		more, unsure := openApps(v)
		severe, odd = append(severe, more...), odd+unsure
	}
	switch {
	case len(endpoints) == 0:
		return v.NotApplicable("the account has no proxy endpoint")
	case len(severe) > 0:
		return v.Fail("Parts of the internet may use "+check.Count(len(severe), "proxy endpoint", "")+" without a sign-in.",
			append(severe, mild...)...).Rated(posture.High)
	case odd > 0:
		return v.Unknown("a proxy endpoint has a kind, a network or an Access policy this check cannot read")
	case len(mild) > 0:
		return v.Warn("More than 4,096 IPv4 addresses or an IPv6 /40 may use "+check.Count(len(mild), "proxy endpoint", "")+
			" without a sign-in.", mild...)
	}
	return v.Pass("Proxy endpoints admit small networks, or ask for a sign-in.")
}

// openApps returns the applications of proxy endpoints that let everyone in, and how many may do so.
func openApps(v *check.View) (open []posture.Evidence, unsure int) {
	apps, known := check.ReadOptional(v, snapshot.AccessApps)
	access, reusable := check.AccessOf(v)
	if !known {
		unsure++
	}
	for _, a := range apps {
		if a.Type != "proxy_endpoint" {
			continue
		}
		switch access.Opens(exposure.Attached(a, reusable)) {
		case truth.Yes:
			open = append(open, check.Evidence(snapshot.AccessApps, "/"+a.ID+"/policies", a.Name+" lets everyone in without a login",
				"policies that ask for a login"))
		case truth.Undecided:
			unsure++
		}
	}
	return open, unsure
}

// first names up to three networks of a list.
func first(networks []string) string {
	if len(networks) > 3 {
		return strings.Join(networks[:3], ", ") + " and " + check.Count(len(networks)-3, "more network", "")
	}
	return strings.Join(networks, ", ")
}
