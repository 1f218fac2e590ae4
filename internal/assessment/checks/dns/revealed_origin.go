package dns

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// revealedOrigin compares all zones of the account: the record that reveals an origin is often in
// another zone.
func revealedOrigin() check.Check {
	return check.Check{
		ID: "CFL-DNS-009", Title: "No record reveals the origin of a proxied host",
		Category: "dns", Severity: posture.High, Resource: posture.ResourceDNSRecord, Scope: check.PerAccount,
		Why: "The proxy protects an origin only while its address is not known. One record with the same address, an MX " +
			"host or an SPF term, gives it away.",
		Fix: "Proxy the record when only web clients use it, or move the service to another address. Then give the origin " +
			"a new address, or admit only Cloudflare.",
		Words: posture.Words{
			Problem:   "{name} reveals the origin of a proxied host",
			Impact:    "Anyone can read the address of the origin in DNS and attack the server past the WAF, rate limits and Access.",
			Breaks:    "Clients other than browsers, such as mail and file transfer, cannot connect through the proxy.",
			Dashboard: "DNS › Records › {name} › Edit › Proxy status: Proxied.",
			Call:      posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/dns_records/{id}", Body: `{"proxied": true}`},
			Terraform: proxiedRecord("A"),
		},
		References: []string{"https://developers.cloudflare.com/dns/proxy-status/",
			"https://developers.cloudflare.com/ssl/origin-configuration/"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "The firewall in front of a server cannot be walked around by a leaked address."),
			check.Supports("cis 12.2", "The origin is exposed no more than it has to be."),
			check.Supports("soc2 CC6.6", "Outsiders do not learn where the origin stands."),
			check.Supports("pci 1.4.2", "Untrusted networks are not led past the approved component."),
			check.Shows("pci 1.4.5", "Routing details of the origin are not disclosed."),
			check.Supports("nist PR.IR-01", "The origin's network is harder to find."),
		},
		Aliases:  []string{"union:unproxied-sibling"},
		Paths:    []string{"exposed-origin"},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.ZoneLoadBalancers},
		Evaluate: evaluateRevealedOrigin,
	}
}

func revealedOriginExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "no sibling", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "the same server by an alias of a direct name", Want: posture.Fail, Resource: "s1",
			Edit: sibling("cpanel."+goodtest.Domain, "A", "45.60.10.1")},
		{Name: "a direct sibling", Want: posture.Fail, Resource: "s1", Edit: sibling("old."+goodtest.Domain, "A", "45.60.10.1")},
		{Name: "a second record of the proxied name itself", Want: posture.Pass, Edit: sibling(goodtest.Domain, "A", "45.60.10.77")},
		{Name: "the sibling is in another zone", Want: posture.Fail, Resource: "s1", Edit: otherZone("ftp.other.example", "A", "45.60.10.1")},
		{Name: "an internal zone names the origin", Want: posture.Pass, Edit: goodtest.Edits(otherZone("ftp.other.example", "A", "45.60.10.1"),
			func(b *snapshot.Builder) {
				b.Zones[1].Type = "internal"
				snapshot.Put(b, snapshot.ZoneList, goodtest.Account, b.Zones)
			})},
		{Name: "SPF names the origin", Want: posture.Fail, Resource: "s1", Edit: sibling("mail."+goodtest.Domain, "TXT",
			`"v=spf1 +ip4:45.60.10.1/32 -all"`)},
		{Name: "SPF names another address", Want: posture.Pass, Edit: sibling("mail."+goodtest.Domain, "TXT", "v=spf1 ip4:45.60.99.1 -all")},
		{Name: "SPF in capitals names the origin", Want: posture.Fail, Resource: "s1", Edit: sibling("mail."+goodtest.Domain, "TXT",
			"V=SPF1 IP4:45.60.10.1 -ALL")},
		{Name: "SPF names the origin across two strings", Want: posture.Fail, Resource: "s1", Edit: sibling("mail."+goodtest.Domain, "TXT",
			`"v=spf1 ip4:45.60." "10.1 -all"`)},
		{Name: "a text that only mentions SPF", Want: posture.Pass, Edit: sibling("note."+goodtest.Domain, "TXT",
			"was v=spf1 ip4:45.60.10.1 -all")},
		{Name: "SPF names a range around the origin", Want: posture.Pass, Edit: sibling("mail."+goodtest.Domain, "TXT",
			"v=spf1 ip4:45.60.10.0/24 -all")},
		{Name: "a service binding hints at the origin", Want: posture.Fail, Resource: "s1", Edit: sibling("alt."+goodtest.Domain, "HTTPS",
			`1 . alpn="h2" ipv4hint="45.60.99.1,45.60.10.1"`)},
		{Name: "a service binding hints elsewhere", Want: posture.Pass, Edit: sibling("alt."+goodtest.Domain, "HTTPS",
			`1 . alpn="h2" ipv4hint=45.60.99.1`)},
		{Name: "mail goes to the origin", Want: posture.Fail, Resource: "s1", Edit: sibling(goodtest.Domain, "MX", goodtest.Domain+".")},
		{Name: "a neighbour of the origin", Want: posture.Warning, Resource: "s1", Edit: sibling("old."+goodtest.Domain, "A", "45.60.10.77")},
		{Name: "a placeholder is no origin", Want: posture.Pass, Edit: goodtest.Edits(sibling("old."+goodtest.Domain, "A", "192.0.2.1"),
			goodtest.EditRecord(goodtest.Record, func(r *snapshot.DNSRecord) { r.Content = "192.0.2.1" }))},
		{Name: "a direct sibling behind a balancer of its name", Want: posture.Pass, Edit: goodtest.Edits(
			sibling("old."+goodtest.Domain, "A", "45.60.10.1"), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{{ID: "lb1", Name: "Old." + goodtest.Domain,
					Enabled: true, Proxied: true}})
			})},
		{Name: "a direct sibling behind a balancer of its name that is off", Want: posture.Fail, Resource: "s1", Edit: goodtest.Edits(
			sibling("old."+goodtest.Domain, "A", "45.60.10.1"), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{{ID: "lb1", Name: "old." + goodtest.Domain}})
			})},
		{Name: "nothing is proxied", Want: posture.NotApplicable, Edit: goodtest.EditRecords(func(r *snapshot.DNSRecord) { r.Proxied = false })},
	}
}

func sibling(name, kind, content string) func(*snapshot.Builder) {
	return goodtest.AddRecord(snapshot.DNSRecord{ID: "s1", Name: name, Type: kind, Content: content})
}

func otherZone(name, kind, content string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		b.Zones = append(b.Zones, snapshot.Zone{ID: "z2", Name: "other.example", Status: "active", Type: "full", Plan: "free"})
		snapshot.Put(b, snapshot.ZoneList, goodtest.Account, b.Zones)
		snapshot.Put(b, snapshot.ZoneDNSRecords, "z2", []snapshot.DNSRecord{{ID: "s1", Name: name, Type: kind, Content: content}})
	}
}

// origins are the addresses behind the proxy, with the host of each.
type origins struct {
	exact   map[netip.Addr]string
	near    map[netip.Prefix]string
	byHost  map[string]netip.Addr
	proxied int
	edge    exposure.Edge
	direct  map[string]exposure.Direct
}

// neighbours returns the network in which an address reveals its neighbours.
func neighbours(a netip.Addr) netip.Prefix {
	bits := 24
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits)
	return p
}

// answered returns the records of a zone that anybody is answered with.
func answered(v *check.View, z snapshot.Zone) []snapshot.DNSRecord {
	balancers, _ := check.ReadOptionalAt(v, snapshot.ZoneLoadBalancers, z.ID)
	if len(balancers) == 0 {
		return check.Public(v, z)
	}
	before := balanced(balancers)
	return slices.DeleteFunc(slices.Clone(check.Public(v, z)), func(r snapshot.DNSRecord) bool {
		return (r.Type == "A" || r.Type == "AAAA" || r.Type == "CNAME") && before(r.Name)
	})
}

func findOrigins(v *check.View) origins {
	o := origins{exact: map[netip.Addr]string{}, near: map[netip.Prefix]string{}, byHost: map[string]netip.Addr{}}
	var all []snapshot.DNSRecord
	discard := netip.PrefixFrom(netip.AddrFrom16([16]byte{0x01, 0x00}), 64)
	for _, z := range v.Zones() {
		records := answered(v, z)
		all = append(all, records...)
		for _, r := range records {
			if !r.Proxied || r.Type != "A" && r.Type != "AAAA" {
				continue
			}
			o.proxied++
			a, err := netip.ParseAddr(r.Content)
			// Reserved and discard addresses mean that there is no origin.
			if err != nil || exposure.ReservedAddress(a) || discard.Contains(a) {
				continue
			}
			if _, ok := o.exact[a]; !ok {
				o.exact[a] = r.Name
			}
			if n := neighbours(a); o.near[n] == "" {
				o.near[n] = r.Name
			}
			o.byHost[canonical(r.Name)] = a
		}
	}
	o.edge, o.direct = exposure.EdgeOf(slices.Values(all)), exposure.DirectTargets(all)
	return o
}

func evaluateRevealedOrigin(v *check.View) check.Outcome {
	o := findOrigins(v)
	if o.proxied == 0 {
		return v.NotApplicable("the account has no proxied A or AAAA record")
	}
	j := v.Judge()
	for _, z := range v.Zones() {
		for _, r := range answered(v, z) {
			host, near := "", false
			if !o.edge.Serves(r) {
				host, near = o.revealedBy(r)
			}
			if host == "" {
				j.Pass()
				continue
			}
			res := posture.Resource{Type: posture.ResourceDNSRecord, ID: r.ID, Name: r.Name, ZoneID: z.ID, Zone: z.Name}
			seen := check.Evidence(snapshot.ZoneDNSRecords, "/"+r.ID+"/content", r.Type+" with the origin of "+host, "another address")
			if near {
				seen.Observed = r.Type + " next to the origin of " + host
				j.Warn(res, "The "+r.Type+" record "+r.Name+" answers with "+r.Content+", an address in the same network as the origin of the "+
					"proxied host "+host+".", seen)
				j.As(nextTo(o.wordsOf(r)))
			} else {
				j.Fail(res, "The "+r.Type+" record "+r.Name+" reveals the origin of the proxied host "+host+".", seen)
				j.As(o.wordsOf(r))
			}
		}
	}
	return j.Done("No record of the account reveals the origin of a proxied host.", "")
}

// wordsOf returns the words for a record that reveals an origin: the check's call closes the
// finding only for a record that may be proxied.
func (o origins) wordsOf(r snapshot.DNSRecord) posture.Words {
	w := posture.Words{ByHand: true}
	switch _, direct := exposure.DirectRecord(r, o.direct, true); {
	case r.Type == "MX":
		w.Problem = "Mail of {name} goes to the origin of a proxied host"
		w.Breaks = "Mail is not delivered until the new mail host accepts it."
		w.Dashboard = "DNS › Records › {name} (MX) › Edit › Mail server: a host that does not run on the origin."
	case r.Type == "TXT":
		w.Problem = "SPF record of {name} names the origin of a proxied host"
		w.Breaks = "Mail that the origin sends itself fails SPF until it goes through another server."
		w.Dashboard = "DNS › Records › {name} (TXT) › Edit: take the address out of the SPF record, once another server sends the mail."
	case r.Type == "HTTPS" || r.Type == "SVCB":
		w.Problem = "Service binding of {name} hints at the origin of a proxied host"
		w.Breaks = "Clients that use the hint look the address up instead."
		w.Dashboard = "DNS › Records › {name} (" + r.Type + ") › Edit › Value: take the address out of ipv4hint and ipv6hint."
	case direct || !r.Proxiable:
		w.Breaks = "The service of {name} is down until it runs at the new address."
		w.Dashboard = "DNS › Records › {name} › Edit: enter the address of another server, once the service runs there."
	default:
		return posture.Words{Terraform: proxiedRecord(r.Type)}
	}
	return w
}

// proxiedRecord is the Terraform of a record behind the proxy. With another type the provider would delete the record.
func proxiedRecord(kind string) string {
	return `resource "cloudflare_dns_record" "web" {
  zone_id = "{zone_id}"
  name    = "{name}"
  type    = "` + kind + `"
  content = var.origin
  ttl     = 1
  proxied = true
}`
}

// nextTo adapts the words to a record that reveals only the network.
func nextTo(w posture.Words) posture.Words {
	w.Problem = "{name} answers from the network of a hidden origin"
	w.Impact = "Anyone who reads the record can try the neighbouring addresses and find the origin among them."
	return w
}

// revealedBy returns the proxied host whose origin an unproxied record reveals, exactly or as a
// neighbour.
func (o origins) revealedBy(r snapshot.DNSRecord) (host string, near bool) {
	switch r.Type {
	case "A", "AAAA":
		a, err := netip.ParseAddr(r.Content)
		if err != nil {
			return "", false
		}
		if host := o.exact[a]; host != "" {
			return host, false
		}
		return o.near[neighbours(a)], true
	case "MX":
		target := canonical(lastWord(r.Content))
		if a, ok := o.byHost[target]; ok {
			return o.exact[a], false
		}
	case "TXT":
		return o.spf(r.Content), false
	case "HTTPS", "SVCB":
		return o.hint(r.Content), false
	}
	return "", false
}

// hint looks for the addresses of a service binding among the origins (RFC 9460, section 7.3).
func (o origins) hint(content string) string {
	for parameter := range strings.FieldsSeq(content) {
		name, value, _ := strings.Cut(parameter, "=")
		if name != "ipv4hint" && name != "ipv6hint" {
			continue
		}
		for text := range strings.SplitSeq(strings.Trim(value, `"`), ",") {
			if a, err := netip.ParseAddr(text); err == nil && o.exact[a] != "" {
				return o.exact[a]
			}
		}
	}
	return ""
}

// spf looks for a single address of an SPF text among the origins. A wider range does not show
// which address is the origin.
func (o origins) spf(content string) string {
	text := mailauth.Text(content)
	if !mailauth.IsSPF(text) {
		return ""
	}
	for term := range strings.FieldsSeq(text) {
		term = strings.ToLower(strings.TrimLeft(term, "+-~?"))
		value, ok := strings.CutPrefix(term, "ip4:")
		if !ok {
			if value, ok = strings.CutPrefix(term, "ip6:"); !ok {
				continue
			}
		}
		value = strings.TrimSuffix(strings.TrimSuffix(value, "/32"), "/128")
		if a, err := netip.ParseAddr(value); err == nil && o.exact[a] != "" {
			return o.exact[a]
		}
	}
	return ""
}
