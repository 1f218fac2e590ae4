package access

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// publishedTunnel finds hostnames that a tunnel publishes without a login.
func publishedTunnel() check.Check {
	return check.Check{
		ID: "CFL-ZT-015", Title: "Published tunnel hostnames sit behind Access",
		Category: "access", Severity: posture.High, Resource: posture.ResourceTunnel, Scope: check.PerTunnel,
		Why: "A published hostname of Cloudflare Tunnel can be reached from the whole internet. Without an Access " +
			"application nobody has to sign in.",
		Fix: "Create an Access application for the hostname, or list it in publicHosts when everyone may use it.",
		Words: posture.Words{
			Problem:   "Tunnel {name} publishes private services without a login",
			Impact:    "Anyone who finds the hostname reaches the private service and can try its passwords and its known holes.",
			Breaks:    "People have to sign in, and automation needs a service token before it reaches the service again.",
			Dashboard: inApplications + ` › Create new application › Self-hosted and private: enter the hostname and choose a policy.`,
			Call: posture.Call{Method: "POST", Path: "/accounts/{account_id}/access/apps",
				From: "/accounts/{account_id}/cfd_tunnel/{id}/configurations",
				Body: `[.result.config.ingress[].hostname // empty | select(IN("{$PUBLIC}" | splits(" +")) | not)] | ` +
					`{name: "{name}", type: "self_hosted", session_duration: "8h", same_site_cookie_attribute: "lax", domain: .[0], ` +
					`destinations: map({type: "public", uri: .}), policies: [{name: "Staff", decision: "allow", precedence: 1, ` +
					`include: [{email_domain: {domain: "{$MAIL_DOMAIN}"}}]}]}`,
				Choose: chooseMailDomain + "\n" +
					"PUBLIC: the hostnames of the tunnel that everyone may reach, parted by spaces (such as www.shop.example)"},
			Terraform: `resource "cloudflare_zero_trust_access_application" "tunnel" {
  account_id                 = "{account_id}"
  name                       = "{name}"
  type                       = "self_hosted"
  same_site_cookie_attribute = "lax"
  destinations               = [{ type = "public", uri = var.hostname }]
  policies = [{
    name       = "Staff"
    decision   = "allow"
    precedence = 1
    include    = [{ email_domain = { domain = var.mail_domain } }]
  }]
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/self-hosted-public-app/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: check.Controls{
			check.Supports("cis 6.4", "A private service is not offered to the internet without sign-in."),
			check.Supports("cis 12.2", "Tunnels publish nothing beyond what is gated."),
			check.Supports("soc2 CC6.1", "Access stands before every hostname that a tunnel publishes."),
			check.Supports("soc2 CC6.6", "Outsiders meet the gate before they meet the internal service."),
			check.Supports("pci 1.4.2", "Untrusted networks reach internal services only through an approved component."),
			check.Touches("pci 8.4.3", "Sign-in is demanded; whether it includes a second factor is CFL-ZT-009."),
			check.Supports("nist PR.AA-05", "Who may use the service follows from a policy and not from knowing its name."),
			check.Supports("nist PR.IR-01", "The internal network is not open to whoever finds the hostname."),
		},
		Aliases: []string{"cfsi:unprotected-tunnel"},
		Paths:   []string{"tunnel-without-access"},
		Remedy: &propose.Remedy{Operation: "POST /accounts/{account_id}/access/apps", Risk: "high", Reversible: true,
			Body: `{"type": "self_hosted", "name": <hostname>, "domain": <hostname>, "session_duration": "24h", "policies": [<policy id the ` +
				`operator names>]}`,
			Inverse: "DELETE the created app id",
			Caution: "Visitors must pass the Access policy you name, which must exist already. Machine clients lose access until a " +
				"policy admits their service token.",
			Inputs: []change.Input{{Name: "policy", Example: `"2f0b1c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"`,
				Description: "Id of the reusable Access policy that says who may reach the host names of tunnels."}},
			Propose: proposeApps},
		Needs: []snapshot.Named{snapshot.Tunnels, snapshot.TunnelConfig, snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups,
			snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.GatewayListItems, snapshot.DevicePosture, snapshot.ZoneLoadBalancers},
		Evaluate: evaluatePublishedTunnel,
	}
}

// publicity says how open a published hostname is that may not be meant to be public.
type publicity int

const (
	behindAccess publicity = iota
	asked                  // the same service is also reachable elsewhere
	doubtful
	inTheOpen
)

// openHost is the result for one hostname.
type openHost struct {
	publicity publicity
	open      bool // true when it cannot be decided
	left      bool // true when an application leaves it open
	reason    string
	host      string
	source    string // the service behind it
}

func evaluatePublishedTunnel(v *check.View) check.Outcome {
	tunnels := check.Read(v, snapshot.Tunnels)
	i := slices.IndexFunc(tunnels, func(t snapshot.Tunnel) bool { return t.ID == v.Item() })
	if i < 0 {
		return v.Unknown("the tunnel is missing from the tunnel list")
	}
	if tunnels[i].Status == "inactive" {
		return v.NotApplicable("the tunnel was never connected, so nobody reaches its hostnames; CFL-TUNNEL-001 judges it")
	}
	if tunnels[i].ConfigSrc != "cloudflare" {
		return v.Unknown("the tunnel is configured on its host, so its host names cannot be read")
	}
	doors := check.DoorsOf(v)
	var found []openHost
	judged := 0
	rules := check.Read(v, snapshot.TunnelConfig).Ingress
	for i, in := range rules {
		for _, host := range hostsOf(v, rules, i) {
			if slices.ContainsFunc(v.Policy.PublicHosts, func(p string) bool { return exposure.Same(p, host) || exposure.Same(p, in.Hostname) }) {
				continue
			}
			judged++
			e := judgeHost(in, host, doors)
			if there := published(v, host); there != truth.Yes && (e.open || e.publicity != behindAccess) {
				if there == truth.No {
					continue
				}
				e = openHost{open: true, host: host, reason: "the zone of " + host +
					" is not part of this run, so it is not known whether the hostname is published"}
			}
			if e.open || e.publicity != behindAccess {
				e.left = leftOpen(doors, host)
				found = append(found, e)
			}
		}
	}
	return conclude(v, tunnels[i].Name, judged, found)
}

func conclude(v *check.View, name string, judged int, found []openHost) check.Outcome {
	var words posture.Words
	of := func(g publicity) (hosts []string, seen []posture.Evidence) {
		for _, e := range found {
			if !e.open && e.publicity == g {
				hosts = append(hosts, e.host)
				if e.left {
					words.ByHand, words.Dashboard = true, inApplications+" › the application that leaves the hostname or a path of it open: "+
						"remove the policy or the public path that lets everyone in."
				}
				seen = append(seen, check.Evidence(snapshot.TunnelConfig, "/ingress/"+e.host, e.reason+", service "+e.source,
					"an Access application for the whole host name"))
			}
		}
		return hosts, seen
	}
	if hosts, seen := of(inTheOpen); len(hosts) > 0 {
		return v.Fail("The tunnel "+name+" publishes "+check.Count(len(hosts), "private service", "")+" without a login: "+
			strings.Join(hosts, ", ")+".", seen...).As(words)
	}
	for _, g := range []publicity{doubtful, asked} {
		if hosts, seen := of(g); len(hosts) > 0 {
			out := v.Warn("The tunnel "+name+" publishes "+check.Count(len(hosts), "hostname", "")+" without a login, at least in part: "+
				strings.Join(hosts, ", ")+".", seen...)
			words.Problem = "Tunnel {name} publishes hostnames without a login"
			words.Impact = "Anyone on the internet uses the service, which is a risk unless it is meant for everyone."
			return out.As(words).Rated(map[publicity]posture.Severity{doubtful: posture.Medium, asked: posture.Low}[g])
		}
	}
	switch {
	case len(found) > 0:
		return v.Unknown(found[0].reason)
	case judged == 0:
		return v.NotApplicable("the tunnel has no host names besides those on the operator's list of public sites")
	}
	return v.Pass("Every published host name of the tunnel sits behind Access, or is a public site by its name and service.")
}

// judgeHost judges one hostname of an ingress rule. A tunnel may also publish a public site without
// an open port, so only a name, path or service that is meant for few is certainly wrong without a
// login.
func judgeHost(in snapshot.Ingress, host string, doors []exposure.AccessEndpoint) openHost {
	e := openHost{host: host, source: exposure.ServiceName(in.Service)}
	if in.AccessRequired || exposure.AnswersItself(in.Service) {
		return e
	}
	covered, audience := exposure.Guarded(doors, host, in.Path), exposure.AudienceOf(host, in.Path, in.Service)
	switch {
	case covered == exposure.GuardedWhole || audience == exposure.Everyone:
		return e
	case covered == exposure.UnsureGuard:
		e.open, e.reason = true, "whether an application guards "+host+
			" depends on a policy or a type of application that is not known"
	case covered == exposure.GuardedInPart:
		e.publicity, e.reason = doubtful, "an application guards only a part of it"
	case audience == exposure.Few && exposure.PrivateService(in.Service):
		e.publicity, e.reason = inTheOpen, "no application that asks anyone"
	case audience == exposure.Few || exposure.PrivateService(in.Service):
		e.publicity, e.reason = doubtful, "no application that asks anyone"
	default:
		e.publicity, e.reason = asked, "no application that asks anyone"
	}
	return e
}

// leftOpen reports whether an application for this very hostname covers all of it or opens a path,
// so that another application would not close it.
func leftOpen(doors []exposure.AccessEndpoint, host string) bool {
	return slices.ContainsFunc(doors, func(d exposure.AccessEndpoint) bool { return d.Host == host && (d.Path == "" || d.Open) })
}

// hostsOf returns the hostnames that an ingress rule serves: its own, and for one without a hostname or
// with a star those of the records that lead to the tunnel, as far as no earlier rule takes them.
func hostsOf(v *check.View, rules []snapshot.Ingress, at int) []string {
	in := rules[at]
	host := strings.ToLower(in.Hostname)
	var out []string
	if host != "" && host != "*" && exposure.Reaches(rules, at, host) {
		out = append(out, host)
	}
	if host != "" && !strings.HasPrefix(host, "*") || exposure.AnswersItself(in.Service) {
		return out
	}
	for _, z := range v.EveryZone() {
		for _, r := range check.ReadAt(v, snapshot.ZoneDNSRecords, z.ID) {
			if name := strings.ToLower(r.Name); name != host && leads(v, r) && exposure.Reaches(rules, at, name) {
				out = append(out, name)
			}
		}
	}
	return once(out)
}

// leads reports whether a record leads to the tunnel, which answers only for proxied ones.
func leads(v *check.View, r snapshot.DNSRecord) bool {
	return r.Type == "CNAME" && r.Proxied && exposure.Same(r.Content, v.Item()+".cfargotunnel.com")
}

// published reports whether a record in a zone of the run, of the hostname itself or a wildcard, takes
// requests to the tunnel. An alias of a name that is not in the run may, and so may a load balancer.
func published(v *check.View, host string) truth.Value {
	zoned := truth.Undecided
	for _, z := range v.Zones() {
		if !exposure.Within(host, z.Name) {
			continue
		}
		zoned = truth.No
		balancers, known := check.ReadOptionalAt(v, snapshot.ZoneLoadBalancers, z.ID)
		if slices.ContainsFunc(balancers, func(b snapshot.LoadBalancer) bool { return b.Enabled && exposure.Same(b.Name, host) }) {
			return truth.Yes
		}
		for _, r := range answering(check.ReadAt(v, snapshot.ZoneDNSRecords, z.ID), host) {
			if !known || leads(v, r) || r.Type == "CNAME" && !exposure.ProviderOwned(r.Content) {
				return truth.Yes
			}
		}
	}
	return zoned
}

// answering returns the address and alias records of a host, or of the nearest wildcard over it. A record
// of any type ends the wildcards at its name and below
// (developers.cloudflare.com/dns/manage-dns-records/reference/wildcard-dns-records/).
func answering(records []snapshot.DNSRecord, host string) []snapshot.DNSRecord {
	at := func(name string) (out []snapshot.DNSRecord) {
		for _, r := range records {
			if exposure.Same(r.Name, name) {
				out = append(out, r)
			}
		}
		return out
	}
	out := at(host)
	for below, more := host, true; len(out) == 0 && more && len(at(below)) == 0; {
		if _, below, more = strings.Cut(below, "."); more {
			out = at("*." + below)
		}
	}
	return slices.DeleteFunc(out, func(r snapshot.DNSRecord) bool { return !slices.Contains([]string{"A", "AAAA", "CNAME"}, r.Type) })
}
