package tunnel

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hostname finds private hostnames that every enrolled device can reach: no Access application
// protects them and no network policy blocks anyone. Cloudflare evaluates Access before network
// policies.
func hostname() check.Check {
	return check.Check{
		ID: "CFL-TUNNEL-012", Title: "Private hostname routes are guarded by Access or a network policy",
		Category: "tunnels", Severity: posture.Medium, Resource: posture.ResourceTunnel, Scope: check.PerAccount,
		Why: "A private hostname route leads every enrolled device to the host, wherever its address is. Only an Access application or a " +
			"Gateway network policy says who may use it.",
		Fix: "Create an Access application for the private hostname with policies for those who need it, or block private addresses by a last " +
			"network policy.",
		Words: posture.Words{
			Problem: "Every enrolled device reaches {name}",
			Impact:  "Someone with one infected or stolen device reaches the service and can try its passwords and its known holes.",
			Breaks:  "People whom the policy does not name lose the service, and automation needs a service token.",
			Dashboard: "Zero Trust › Access controls › Applications › Create new application › Self-hosted and private: enter the private " +
				"hostname and choose a policy.",
			Call: posture.Call{Method: "POST", Path: "/accounts/{account_id}/access/apps",
				Body: `{"name": "{name}", "type": "self_hosted", "session_duration": "8h", "same_site_cookie_attribute": "lax", ` +
					`"destinations": [{"type": "private", "hostname": "{name}"}], "policies": [{"name": "Staff", "decision": "allow", ` +
					`"precedence": 1, "include": [{"email_domain": {"domain": "{$MAIL_DOMAIN}"}}]}]}`,
				Choose: "MAIL_DOMAIN: the domain in the mail addresses of those who may enter (such as corp.example)"},
			Terraform: `resource "cloudflare_zero_trust_access_application" "private" {
  account_id                 = "{account_id}"
  name                       = "{name}"
  type                       = "self_hosted"
  same_site_cookie_attribute = "lax"
  destinations               = [{ type = "private", hostname = "{name}" }]
  policies = [{
    name       = "Staff"
    decision   = "allow"
    precedence = 1
    include    = [{ email_domain = { domain = var.mail_domain } }]
  }]
}`},
		References: []string{
			"https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/private-net/cloudflared/" +
				"connect-private-hostname/",
			"https://developers.cloudflare.com/cloudflare-one/access-controls/applications/non-http/self-hosted-private-app/"},
		Controls: check.Controls{
			check.Supports("cis 12.2", "Private services are open to those who need them."),
			check.Supports("soc2 CC6.6", "Whoever is inside the client does not reach every service."),
			check.Supports("pci 1.3.1", "Traffic to private services is limited to what is needed."),
			check.Supports("nist PR.IR-01", "Private services are protected from devices that have no business there."),
		},
		Needs: []snapshot.Named{snapshot.HostnameRoutes},
		Optional: []snapshot.Named{snapshot.AccessApps, snapshot.GatewayRules, snapshot.AccessPolicies, snapshot.AccessGroups,
			snapshot.GatewayListItems, snapshot.DevicePosture},
		Evaluate: evaluateHostname,
	}
}

func hostnameGood(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.HostnameRoutes, goodtest.Account, []snapshot.HostnameRoute{{ID: "h1", Hostname: "wiki.corp.example",
		TunnelID: goodtest.Tunnel}})
	privateApp("wiki.corp.example")(b)
}

// privateApp is an example edit that sets the other destinations of the application.
func privateApp(values ...string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
			(*as)[0].Elsewhere = nil
			for _, value := range values {
				(*as)[0].Elsewhere = append((*as)[0].Elsewhere, snapshot.AccessDestination{Type: "private", Value: value})
			}
		})
	}
}

func hostnameExamples() []goodtest.Example {
	rules := func(all ...snapshot.GatewayRule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			for i := range all {
				all[i].ID, all[i].Name, all[i].Enabled, all[i].Filters = string(rune('a'+i)), "Rule "+string(rune('A'+i)), true, []string{"l4"}
				all[i].Precedence = float64(i)
			}
			snapshot.Put(b, snapshot.GatewayRules, goodtest.Account, all)
			privateApp()(b)
		}
	}
	block := func(traffic string) snapshot.GatewayRule {
		return snapshot.GatewayRule{Action: "block", Traffic: traffic}
	}
	allow := func(traffic string) snapshot.GatewayRule {
		return snapshot.GatewayRule{Action: "allow", Traffic: traffic}
	}
	staff := func(r snapshot.GatewayRule) snapshot.GatewayRule {
		r.Identity = `identity.email == "ann@shop.example"`
		return r
	}
	const wiki, private = `net.sni.host == "wiki.corp.example"`, "net.dst.ip in {10.0.0.0/8 172.16.0.0/12 192.168.0.0/16}"
	edit := goodtest.Edits
	application := func(change func(*snapshot.AccessApp)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) { change(&(*as)[0]) })
		}
	}
	bypass := func(r snapshot.AccessRule) func(*snapshot.Builder) {
		return application(func(a *snapshot.AccessApp) {
			a.Policies = []snapshot.AccessPolicy{{ID: "o", Name: "Open", Decision: "bypass", Include: []snapshot.AccessRule{r}}}
		})
	}
	destination := func(change func(*snapshot.AccessDestination)) func(*snapshot.Builder) {
		return application(func(a *snapshot.AccessApp) { change(&a.Elsewhere[0]) })
	}
	return []goodtest.Example{
		{Name: "an application holds the host", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "an application holds the host, in capitals", Want: posture.Pass, Edit: edit(rules(), privateApp("Wiki.Corp.Example."))},
		{Name: "an application holds the names beside it", Want: posture.Pass, Edit: edit(rules(), privateApp("*.corp.example"))},
		{Name: "an application, and rules that nobody can read", Want: posture.Pass, Edit: goodtest.Denied(snapshot.GatewayRules)},
		{Name: "private addresses are blocked at the end", Want: posture.Pass, Edit: rules(block(private))},
		{Name: "everything is blocked at the end", Want: posture.Pass, Edit: rules(block(""))},
		{Name: "every address is blocked at the end", Want: posture.Pass, Edit: rules(block("net.dst.ip in {0.0.0.0/0 ::/0}"))},
		{Name: "some people, then a block", Want: posture.Pass, Edit: rules(staff(allow(wiki)), block(private))},
		{Name: "an allow of another host before the block", Want: posture.Pass,
			Edit: rules(allow(`net.sni.host == "docs.corp.example"`), block(private))},
		{Name: "an allow behind the block", Want: posture.Pass, Edit: rules(block(private), allow(wiki))},
		{Name: "blocked private addresses, applications not readable", Want: posture.Pass,
			Edit: edit(rules(block(private)), goodtest.Denied(snapshot.AccessApps))},
		{Name: "nothing guards the host", Want: posture.Fail, Severity: posture.Medium, Resource: "h1", Edit: rules()},
		{Name: "an application for another host", Want: posture.Fail, Edit: edit(rules(), privateApp("docs.corp.example"))},
		{Name: "an application for a host below it", Want: posture.Fail, Edit: edit(rules(), privateApp("a.wiki.corp.example"))},
		{Name: "an application that lets everyone in holds the host", Want: posture.Fail, Resource: "h1",
			Edit: edit(rules(), privateApp("wiki.corp.example"), bypass(snapshot.AccessRule{Kind: "everyone"}))},
		{Name: "an application that lets in a group that is missing holds the host", Want: posture.Unknown, Resource: "h1",
			Edit: edit(rules(), privateApp("wiki.corp.example"), bypass(snapshot.AccessRule{Kind: "group", Value: "g9"}))},
		{Name: "an application holds one port of the host", Want: posture.Warning, Resource: "h1",
			Edit: edit(rules(), privateApp("wiki.corp.example"), destination(func(d *snapshot.AccessDestination) { d.Ports = "443" }))},
		{Name: "an application holds one port of the host, and the rest is blocked", Want: posture.Pass, Edit: edit(rules(block(private)),
			privateApp("wiki.corp.example"), destination(func(d *snapshot.AccessDestination) { d.Ports = "443" }))},
		{Name: "an application holds every port of the host", Want: posture.Pass,
			Edit: edit(rules(), privateApp("wiki.corp.example"), destination(func(d *snapshot.AccessDestination) { d.Ports = "1-65535" }))},
		{Name: "TCP to private addresses is allowed before the block", Want: posture.Fail,
			Edit: rules(allow(private+` and net.protocol == "tcp"`), block(private))},
		{Name: "a public application of that name", Want: posture.Fail, Edit: edit(rules(), func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				(*as)[0].Domains = append((*as)[0].Domains, "wiki.corp.example")
			})
		})},
		{Name: "everything is allowed before the block", Want: posture.Fail, Edit: rules(allow(""), block(private))},
		{Name: "all but one port is allowed before the block", Want: posture.Fail, Edit: rules(allow("net.dst.port != 22"), block(private))},
		{Name: "all but public addresses are allowed before the block", Want: posture.Fail,
			Edit: rules(allow("net.dst.ip != 203.0.113.7"), block(""))},
		{Name: "private addresses are allowed before the block", Want: posture.Fail, Edit: rules(allow(private), block(""))},
		{Name: "a block of public addresses", Want: posture.Fail, Edit: rules(block("net.dst.ip in {203.0.113.0/24}"))},
		{Name: "a block of another host", Want: posture.Fail, Edit: rules(block(`net.sni.host == "docs.corp.example"`))},
		{Name: "Gateway is not in use", Want: posture.Fail, Edit: edit(privateApp(), func(b *snapshot.Builder) {
			b.Mark(snapshot.GatewayRules.Source(), snapshot.Absent, "", "")
		})},
		{Name: "the host is allowed for everyone before the block", Want: posture.Warning, Resource: "h1",
			Edit: rules(allow(wiki), block(private))},
		{Name: "its domain is allowed for everyone before the block", Want: posture.Warning,
			Edit: rules(allow(`any(net.sni.domains[*] in {"corp.example"})`), block(private))},
		{Name: "a block of HTTPS to the host", Want: posture.Warning, Resource: "h1", Edit: rules(block(wiki))},
		{Name: "a block for some people", Want: posture.Warning, Edit: rules(staff(block("")))},
		{Name: "a block of one port", Want: posture.Warning, Edit: rules(block(private + " and net.dst.port == 22"))},
		{Name: "a part of the private addresses is blocked", Want: posture.Unknown, Resource: "h1",
			Edit: rules(block("net.dst.ip in {10.0.0.0/8}"))},
		{Name: "a list of private addresses is blocked", Want: posture.Pass, Edit: edit(rules(block("net.dst.ip in $l1")),
			goodtest.GatewayList("l1", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))},
		{Name: "a list of public addresses is blocked", Want: posture.Fail, Edit: edit(rules(block("net.dst.ip in $l1")),
			goodtest.GatewayList("l1", "203.0.113.0/24"))},
		{Name: "its domain on a list is blocked", Want: posture.Warning, Edit: edit(rules(block("any(net.sni.domains[*] in $l1)")),
			goodtest.GatewayList("l1", "corp.example"))},
		{Name: "a list nobody read", Want: posture.Unknown, Edit: rules(block("net.dst.ip in $0c1b2f6e-1111-4c5b-9d77-4d0f3f0f0f0f"))},
		{Name: "a rule nobody can read", Want: posture.Unknown, Edit: rules(block("net.dst.ip ???"))},
		{Name: "nothing guards it, applications not readable", Want: posture.Unknown, Resource: "h1",
			Edit: edit(rules(), goodtest.Denied(snapshot.AccessApps))},
		{Name: "no application, rules not readable", Want: posture.Unknown, Resource: "h1",
			Edit: edit(privateApp(), goodtest.Denied(snapshot.GatewayRules))},
		{Name: "no route", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.HostnameRoutes, goodtest.Account, []snapshot.HostnameRoute{})
		}},
		{Name: "no tunnel", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.HostnameRoutes.Source(), snapshot.Skipped, "", "the account has no tunnel")
		}},
	}
}

func evaluateHostname(v *check.View) check.Outcome {
	j, network := v.Judge(), admission.NetworkOf(check.GatewayRules(v))
	for _, r := range check.Read(v, snapshot.HostnameRoutes) {
		host := strings.ToLower(strings.Trim(r.Hostname, "."))
		res := posture.Resource{Type: posture.ResourceTunnel, ID: r.ID, Name: host}
		apps, known := check.ReadOptional(v, snapshot.AccessApps)
		access, reusable := check.AccessOf(v)
		guard := access.Private(apps, reusable, func(d snapshot.AccessDestination) bool { return names(d, host) })
		if guard == exposure.GuardedWhole {
			j.Pass()
			continue
		}
		if _, read := check.ReadOptionalAt(v, snapshot.GatewayRules, v.Account().ID); !read {
			j.Unknown(res, "no Access application holds the hostname; whether a network policy does is not known")
			continue
		}
		g := network.Guards(host)
		seen := func(observed string) posture.Evidence {
			return check.Evidence(snapshot.HostnameRoutes, "/"+r.ID+"/hostname", observed,
				"an Access application with this private hostname, or a network policy that blocks private addresses")
		}
		switch {
		case g.Whole == truth.Yes && g.Open == "":
			j.Pass()
		case guard == exposure.UnsureGuard:
			j.Unclear(res, "whether the Access application that holds the hostname lets everyone in depends on a policy that is not known")
		case !known:
			j.Unknown(res, "no network policy keeps everyone from the host; whether an Access application holds the hostname is not known")
		case g.Whole == truth.Yes:
			j.Warn(res, "The network policy "+g.Open+" lets everyone reach "+host+" before a later policy blocks.", seen(g.Open+" before the block"))
			j.As(posture.Words{Problem: "A network policy lets every enrolled device reach {name}"})
		case guard == exposure.GuardedInPart && g.Whole == truth.No:
			j.Warn(res, "An Access application holds the private hostname "+host+" for some ports only.", seen("an application for some ports"))
			j.As(posture.Words{Problem: "An Access application guards {name} only in part"})
		case g.Whole == truth.No && g.Part == truth.No:
			j.Fail(res, "No Access application that asks anyone holds the private hostname "+host+", and no network policy keeps anyone from it.",
				seen(host))
		case g.Whole == truth.No && g.Part == truth.Yes:
			j.Warn(res, "No Access application that asks anyone holds the private hostname "+host+", and network policies block only some "+
				"connections to it.",
				seen("a block of some connections"))
			j.As(posture.Words{Problem: "Network policies guard {name} only in part"})
		default:
			j.Unclear(res, "whether network policies block the address of "+host+", which Cloudflare does not tell, is not known")
		}
	}
	return j.Done("Access or a network policy guards every private hostname.", "the account has no private hostname route")
}

// names reports whether a destination names a private host.
func names(d snapshot.AccessDestination, host string) bool {
	name := strings.ToLower(strings.Trim(d.Value, "."))
	below, wild := strings.CutPrefix(name, "*")
	return name != "" && (name == host || wild && strings.HasSuffix(host, below))
}
