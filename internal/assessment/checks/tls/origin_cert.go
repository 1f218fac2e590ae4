package tls

import (
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// originCert finds origin certificates that expire soon without a replacement.
func originCert() check.Check {
	return check.Check{
		ID: "CFL-ORIGCERT-001", Title: "Origin CA certificates are valid for 30 days or more",
		Category: "ssl", Severity: posture.High, Resource: posture.ResourceCertificate, Scope: check.PerZone,
		Why: "Cloudflare does not renew Origin CA certificates. In Full (strict) mode an expired origin certificate is " +
			"refused, and visitors get error 526.",
		Fix: "Create a new Origin CA certificate, install it on the origin, then revoke the old one.",
		Words: posture.Words{
			Problem:   "The origin certificate for {name} ends soon",
			Impact:    "From the day the certificate has expired, every visitor of these hosts gets error 526.",
			Breaks:    "Nothing that works today, as long as the old certificate is revoked only after the new one is installed.",
			Dashboard: "SSL/TLS › Origin Server › Origin Certificates › Create Certificate.",
			Terraform: `resource "cloudflare_origin_ca_certificate" "successor" {
  csr                = file("origin.csr")
  hostnames          = ["{zone}", "*.{zone}"]
  request_type       = "origin-rsa"
  requested_validity = 365
}`},
		References: []string{"https://developers.cloudflare.com/ssl/origin-configuration/origin-ca/",
			"https://developers.cloudflare.com/ssl/origin-configuration/ssl-modes/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Encryption to the origin does not end with an expired certificate."),
			check.Touches("soc2 A1.2", "An outage is prevented; nothing is recovered by it."),
			check.Supports("pci 4.2.1", "Certificates of origins are valid, as this requirement says."),
			check.Supports("nist PR.DS-02", "Protection between edge and origin goes on."),
		},
		Aliases:  []string{"flareinspect:CFL-ORIGCERT-001"},
		Edge:     true,
		Needs:    []snapshot.Named{snapshot.ZoneOriginCA},
		Optional: traffic.OriginTLS().Needs,
		Evaluate: evaluateOriginCert,
	}
}

func originCertExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "a year left; the long validity asked for does not matter", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "29 days left", Want: posture.Fail, Resource: "c1", Edit: certs(cert("c1", 29, goodtest.Domain))},
		{Name: "exactly 30 days left", Want: posture.Pass, Edit: certs(cert("c1", 30, goodtest.Domain))},
		{Name: "expired", Want: posture.Fail, Resource: "c1", Edit: certs(cert("c1", -1, goodtest.Domain))},
		{Name: "a wildcard of a newer one covers it", Want: posture.Pass, Edit: certs(cert("c1", 5, "www."+goodtest.Domain),
			cert("c2", 300, goodtest.Domain, "*."+goodtest.Domain))},
		{Name: "two newer ones together cover it", Want: posture.Pass, Edit: certs(cert("c1", 5, goodtest.Domain, "www."+goodtest.Domain),
			cert("c2", 300, goodtest.Domain), cert("c3", 300, "www."+goodtest.Domain))},
		{Name: "a newer one covers one of two hosts, and the other is not served", Want: posture.Pass,
			Edit: certs(cert("c1", 5, goodtest.Domain, "old."+goodtest.Domain), cert("c2", 300, goodtest.Domain))},
		{Name: "for a name below a wildcard record", Want: posture.Fail, Resource: "c1",
			Edit: goodtest.Edits(answering("*"), certs(cert("c1", 5, "old."+goodtest.Domain)))},
		{Name: "for a name below a wildcard record, for which a rule accepts any certificate", Want: posture.Warning, Resource: "c1",
			Edit: goodtest.Edits(answering("*"), certs(cert("c1", 5, "old."+goodtest.Domain)),
				configMode(`http.host eq "old.shop.example"`, "full"))},
		{Name: "for a name beside a wildcard record that is not proxied", Want: posture.Pass,
			Edit: goodtest.Edits(answering("*"), direct("old"), certs(cert("c1", 5, "old."+goodtest.Domain)))},
		{Name: "a newer one covers one of two hosts", Want: posture.Fail, Resource: "c1",
			Edit: certs(cert("c1", 5, goodtest.Domain, "www."+goodtest.Domain), cert("c2", 300, goodtest.Domain))},
		{Name: "both are expired", Want: posture.Fail, Resource: "c1", Edit: certs(cert("c1", -5, goodtest.Domain),
			cert("c2", -1, goodtest.Domain))},
		{Name: "the zone accepts any certificate", Want: posture.Warning, Resource: "c1",
			Edit: goodtest.Edits(certs(cert("c1", 5, goodtest.Domain)), goodtest.Setting("ssl", "full"))},
		{Name: "the zone accepts any certificate, and not on one host", Want: posture.Fail, Resource: "c1",
			Edit: goodtest.Edits(certs(cert("c1", 5, goodtest.Domain, "*."+goodtest.Domain)), goodtest.Setting("ssl", "full"),
				configMode(`http.host eq "www.shop.example"`, "strict"))},
		{Name: "strict, and off by a rule for its host", Want: posture.Warning, Resource: "c1",
			Edit: goodtest.Edits(certs(cert("c1", 5, "www."+goodtest.Domain)), configMode(`http.host eq "www.shop.example"`, "full"))},
		{Name: "perhaps a load balancer presents it", Want: posture.Unknown, Resource: "c1",
			Edit: goodtest.Edits(certs(cert("c1", 5, "lb."+goodtest.Domain)), goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "no host presents it", Want: posture.Pass, Edit: certs(cert("c1", 5, "old."+goodtest.Domain))},
		{Name: "the rules are not readable", Want: posture.Unknown, Resource: "c1",
			Edit: goodtest.Edits(certs(cert("c1", 5, goodtest.Domain)), goodtest.Denied(snapshot.ZonePhaseConfig))},
		{Name: "the mode is not readable", Want: posture.Unknown, Resource: "c1", Edit: goodtest.Edits(certs(cert("c1", 5, goodtest.Domain)),
			goodtest.Denied(snapshot.ZoneSettings))},
		{Name: "the mode is one nobody knows", Want: posture.Unknown, Resource: "c1",
			Edit: goodtest.Edits(certs(cert("c1", 5, goodtest.Domain)), goodtest.Setting("ssl", "stricter"))},
		{Name: "no date", Want: posture.Unknown, Resource: "c1",
			Edit: certs(snapshot.OriginCert{ID: "c1", Hostnames: []string{goodtest.Domain}})},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.Edits(certs(cert("c1", 5, goodtest.Domain)),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "no certificate", Want: posture.NotApplicable, Edit: certs()},
		{Name: "only a revoked one", Want: posture.NotApplicable, Edit: certs(snapshot.OriginCert{ID: "c1", Hostnames: []string{goodtest.Domain},
			Revoked: true})},
	}
}

func cert(id string, days int, hosts ...string) snapshot.OriginCert {
	return snapshot.OriginCert{ID: id, Hostnames: hosts, ExpiresOn: snapshot.At(goodtest.Now().AddDate(0, 0, days)), Validity: 5475}
}

func certs(all ...snapshot.OriginCert) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneOriginCA, goodtest.Zone, all) }
}

func evaluateOriginCert(v *check.View) check.Outcome {
	j, z := v.Judge(), v.Zone()
	all := check.Read(v, snapshot.ZoneOriginCA)
	lanes := check.Lanes(v, traffic.OriginTLS(), z)
	_, unread := check.Hosts(v, z)
	limit := v.Now().Add(time.Duration(v.Policy.OriginCertDays) * 24 * time.Hour)
	for _, c := range all {
		if c.Revoked || !slices.ContainsFunc(c.Hostnames, func(h string) bool { return exposure.Within(strings.TrimPrefix(h, "*."), z.Name) }) {
			continue
		}
		r := v.InZone(posture.ResourceCertificate, c.ID, strings.Join(c.Hostnames, ", "))
		switch {
		case c.ExpiresOn.IsZero():
			j.Unclear(r, "Cloudflare returned no end date of the certificate")
			continue
		case !c.ExpiresOn.Before(limit):
			j.Pass()
			continue
		}
		newer := longer(c, all, v.Now())
		if !slices.ContainsFunc(c.Hostnames, func(host string) bool { return !coveredByOne(newer, host) }) {
			j.Pass()
			continue
		}
		seen := check.Evidence(snapshot.ZoneOriginCA, "/"+c.ID+"/expires_on", c.ExpiresOn.Format(time.DateOnly), limit.Format(time.DateOnly)+
			" or later")
		message := "The Origin CA certificate for " + r.Name + " " + endsOn(c.ExpiresOn, v.Now()) + " and no other covers all of its hosts"
		switch checked, used := checkedByEdge(v, lanes, c, newer); {
		case checked == truth.Yes:
			j.Fail(r, message+".", seen)
			if c.ExpiresOn.Before(v.Now()) {
				j.As(posture.Words{Problem: "The origin certificate for {name} has expired", Impact: "Every visitor of these hosts gets error 526."})
			}
		case checked == truth.Undecided || unread != nil && !used:
			j.Unclear(r, "the certificate "+endsOn(c.ExpiresOn, v.Now())+", and whether Cloudflare checks it for these hosts is not known")
		case used || len(lanes) == 0:
			j.Warn(r, message+"; Cloudflare does not check the certificate of these hosts yet.", seen)
			j.As(posture.Words{Impact: "Visitors of these hosts get error 526 from the day on which the mode is Full (strict) and the " +
				"certificate has expired."})
		default:
			j.Pass() // no host that Cloudflare connects to presents it
		}
	}
	return j.Done("Every Origin CA certificate is valid for long enough or replaced.", "no Origin CA certificate covers the zone")
}

// checkedByEdge reports whether the edge verifies the certificate on some host, and whether any host may present it.
// Hosts with a newer certificate present that.
func checkedByEdge(v *check.View, lanes []traffic.Lane[traffic.Value[string]], c snapshot.OriginCert,
	newer []snapshot.OriginCert) (checked truth.Value, used bool) {
	alone := map[string]bool{} // names that rules tell from the others below a wildcard, too
	for _, l := range lanes {
		for _, h := range l.Hosts {
			alone[h.Name] = true
		}
	}
	presents := func(h traffic.Host) bool {
		return coveredByOne([]snapshot.OriginCert{c}, h.Name) && !coveredByOne(newer, h.Name) ||
			slices.ContainsFunc(c.Hostnames, func(name string) bool {
				return !alone[exposure.Bare(name)] && !coveredByOne(newer, name) && check.ServedBy(v, v.Zone(), name, h)
			})
	}
	checked = truth.No
	for _, l := range lanes {
		if slices.ContainsFunc(l.Hosts, presents) {
			checked, used = truth.Or(checked, l.Value.Holds(verifiedMode)), true
		}
	}
	return checked, used
}

// longer lists the valid certificates that last longer than c.
func longer(c snapshot.OriginCert, all []snapshot.OriginCert, now time.Time) []snapshot.OriginCert {
	return slices.DeleteFunc(slices.Clone(all), func(o snapshot.OriginCert) bool {
		return o.ID == c.ID || o.Revoked || !o.ExpiresOn.After(now) || !o.ExpiresOn.After(c.ExpiresOn.Time)
	})
}

// coveredByOne reports whether one of the certificates covers a host.
func coveredByOne(all []snapshot.OriginCert, host string) bool {
	return slices.ContainsFunc(all, func(c snapshot.OriginCert) bool {
		return slices.ContainsFunc(c.Hostnames, func(pattern string) bool { return covers(pattern, host) })
	})
}

// covers reports whether a certificate name covers a host. A wildcard stands for exactly one label
// (RFC 6125).
func covers(pattern, host string) bool {
	if exposure.Same(pattern, host) {
		return true
	}
	parent, isWild := strings.CutPrefix(pattern, "*.")
	_, rest, below := strings.Cut(host, ".")
	return isWild && below && !strings.HasPrefix(host, "*.") && exposure.Same(parent, rest)
}
