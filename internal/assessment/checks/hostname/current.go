package hostname

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// current judges each hostname, and once per zone the fallback origin.
func current() check.Check {
	return check.Check{
		ID: "CFL-CH-001", Title: "Customer hostnames are validated and current",
		Category: "custom-hostnames", Severity: posture.Medium, Resource: posture.ResourceCertificate, Scope: check.PerZone, Edge: true,
		Why: "A customer hostname whose validation failed is not served; one whose customer has moved on can be claimed " +
			"by another tenant.",
		Fix: "Finish the validation with the customer, or delete the custom hostname.",
		Words: posture.Words{
			Problem:   "Custom hostname {name} of {zone} is not current",
			Impact:    "Visitors of the customer see a certificate error, or the name is served by somebody else.",
			Breaks:    "Deleting a custom hostname that is still in use takes the customer's site down.",
			Dashboard: "SSL/TLS › Custom Hostnames › {name}: see the validation records, refresh or delete.",
		},
		References: []string{"https://developers.cloudflare.com/ssl/", "Cloudflare docs: Custom hostnames"},
		Controls: check.Controls{
			check.Supports("cis 1.1", "Customers' hostnames are known and validated."),
			check.Supports("soc2 CC6.6", "A hostname that left cannot be used by somebody else."),
			check.Supports("pci 4.2.1", "Certificates of customers' hostnames are valid, so their traffic is encrypted."),
			check.Supports("nist PR.DS-02", "Connections to customers' hostnames have a valid certificate."),
		},
		Aliases:  []string{"flareinspect:CFL-CH-001"},
		Needs:    []snapshot.Named{snapshot.ZoneCustomHostnames, snapshot.ZoneFallbackOrigin},
		Evaluate: evaluateCurrent,
	}
}

func evaluateCurrent(v *check.View) check.Outcome {
	j := v.Judge()
	for _, h := range check.Read(v, snapshot.ZoneCustomHostnames) {
		if !h.Gone() {
			judgeHostname(v, j, h)
		}
	}
	if j.Judged() > 0 {
		judgeFallback(v, j)
	}
	return j.Done("Every customer hostname is validated and current.", "the zone has no custom hostname")
}

func judgeFallback(v *check.View, j *check.Judgement) {
	f, z := check.Read(v, snapshot.ZoneFallbackOrigin), v.Zone()
	observed := f.Status
	if observed == "" {
		observed = "not set"
	}
	seen := check.Evidence(snapshot.ZoneFallbackOrigin, "/status", observed, "active")
	switch {
	case strings.HasSuffix(f.Status, "timed_out"):
		j.Fail(v.Resource(), "The fallback origin of customer hostnames on "+z.Name+" could not be set up: "+f.Status+".", seen)
		j.As(fallbackWords())
	case f.Status != "active":
		j.Warn(v.Resource(), "The fallback origin of customer hostnames on "+z.Name+" is not active: "+observed+".", seen)
		j.As(fallbackWords())
	default:
		j.Pass()
	}
}

func judgeHostname(v *check.View, j *check.Judgement, h snapshot.CustomHostname) {
	r, now := v.InZone(posture.ResourceCertificate, h.ID, h.Hostname), v.Now()
	row := func(member, observed, expected string) posture.Evidence {
		return check.Evidence(snapshot.ZoneCustomHostnames, "/"+h.ID+"/"+member, observed, expected)
	}
	ends := check.Day(h.SSLExpires)
	switch {
	case slices.Contains([]string{"moved", "blocked", "pending_blocked", "test_blocked", "test_failed"}, h.Status):
		j.Fail(r, "The customer hostname "+h.Hostname+" is "+h.Status+".", row("status", h.Status, "active"))
		return
	case slices.Contains([]string{"expired", "inactive", "deactivating"}, h.SSLStatus) || strings.HasSuffix(h.SSLStatus, "timed_out"):
		j.Fail(r, "The certificate of the customer hostname "+h.Hostname+" is "+h.SSLStatus+".", row("ssl_status", h.SSLStatus, "active"))
		return
	case !h.SSLExpires.IsZero() && !h.SSLExpires.After(now):
		j.Fail(r, "The certificate of the customer hostname "+h.Hostname+" ended on "+ends+".", row("ssl_expires_on", ends, "a day to come"))
		return
	}
	var wrong []string
	var seen []posture.Evidence
	settled := slices.Contains([]string{"active", "active_redeploying", "provisioned", "test_active", "test_active_apex"}, h.Status) &&
		(h.SSLStatus == "active" || strings.HasPrefix(h.SSLStatus, "pending_") && h.SSLExpires.After(now)) // a renewal is in progress
	limit := time.Duration(v.Policy.PendingDays) * 24 * time.Hour
	if !settled && !h.CreatedAt.IsZero() && now.Sub(h.CreatedAt.Time) > limit {
		state := orAbsent(h.Status) + ", certificate " + orAbsent(h.SSLStatus)
		wrong, seen = append(wrong, "is unfinished since "+check.Day(h.CreatedAt)+" ("+state+")"),
			append(seen, row("status", state, "active, certificate active"))
	}
	if h.Errors > 0 {
		wrong, seen = append(wrong, "has verification errors"), append(seen, row("verification_errors", fmt.Sprint(h.Errors), "0"))
	}
	soon := now.Add(time.Duration(v.Policy.HostnameCertDays) * 24 * time.Hour)
	if !h.SSLExpires.IsZero() && !h.SSLExpires.After(soon) {
		wrong, seen = append(wrong, "has a certificate that ends on "+ends),
			append(seen, row("ssl_expires_on", ends, "after "+check.Day(soon)))
	}
	switch {
	case len(wrong) > 0:
		j.Warn(r, "The customer hostname "+h.Hostname+" "+strings.Join(wrong, " and ")+".", seen...)
	case !settled && h.CreatedAt.IsZero():
		j.Unclear(r, "the hostname is "+orAbsent(h.Status)+" and Cloudflare did not say since when it exists")
	default:
		j.Pass()
	}
}

func orAbsent(s string) string {
	if s == "" {
		return "absent"
	}
	return s
}

func currentExamples() []goodtest.Example {
	status := func(status, ssl string, age int) func(*snapshot.Builder) {
		return hostname(func(h *snapshot.CustomHostname) { h.Status, h.SSLStatus, h.CreatedAt = status, ssl, inDays(-age) })
	}
	expires := func(days int) func(*snapshot.Builder) {
		return hostname(func(h *snapshot.CustomHostname) { h.SSLExpires = inDays(days) })
	}
	renewing := func(left int) func(*snapshot.Builder) {
		return goodtest.Edits(status("active", "pending_validation", 400), expires(left))
	}
	fallback := func(status string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneFallbackOrigin, goodtest.Zone, snapshot.FallbackOrigin{Status: status})
		}
	}
	out := []goodtest.Example{
		{Name: "active", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "new and unfinished", Want: posture.Pass, Edit: status("pending", "pending_validation", 7)},
		{Name: "new without a certificate", Want: posture.Pass, Edit: status("active", "", 2)},
		{Name: "unfinished for long", Want: posture.Warning, Resource: "ch1", Edit: status("pending", "pending_validation", 8)},
		{Name: "no certificate for long", Want: posture.Warning, Resource: "ch1", Edit: status("active", "", 30)},
		{Name: "unfinished, nobody knows since when", Want: posture.Unknown, Resource: "ch1",
			Edit: hostname(func(h *snapshot.CustomHostname) { h.Status, h.CreatedAt = "pending", snapshot.Time{} })},
		{Name: "new, but moved", Want: posture.Fail, Edit: status("moved", "active", 1)},
		{Name: "the certificate ended", Want: posture.Fail, Resource: "ch1", Edit: expires(-1)},
		{Name: "the certificate ends in 14 days", Want: posture.Warning, Resource: "ch1", Edit: expires(14)},
		{Name: "the certificate ends in 15 days", Want: posture.Pass, Edit: expires(15)},
		{Name: "no date of the certificate", Want: posture.Pass,
			Edit: hostname(func(h *snapshot.CustomHostname) { h.SSLExpires = snapshot.Time{} })},
		{Name: "a renewal is under way", Want: posture.Pass, Edit: renewing(25)},
		{Name: "a renewal is under way, and 14 days are left", Want: posture.Warning, Resource: "ch1", Edit: renewing(14)},
		{Name: "a renewal is under way, and the certificate ended", Want: posture.Fail, Resource: "ch1", Edit: renewing(-1)},
		{Name: "a renewal of a hostname that never got active", Want: posture.Warning, Resource: "ch1",
			Edit: goodtest.Edits(renewing(25), hostname(func(h *snapshot.CustomHostname) { h.Status = "pending" }))},
		{Name: "verification errors", Want: posture.Warning, Resource: "ch1", Edit: hostname(func(h *snapshot.CustomHostname) { h.Errors = 1 })},
		{Name: "the fallback could not be set up", Want: posture.Fail, Resource: goodtest.Zone, Edit: fallback("deployment_timed_out")},
		{Name: "the fallback is on its way", Want: posture.Warning, Resource: goodtest.Zone, Edit: fallback("pending_deployment")},
		{Name: "no fallback", Want: posture.Warning, Resource: goodtest.Zone, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.ZoneFallbackOrigin.Source(), snapshot.Absent, "", "")
		}},
		{Name: "no hostname", Want: posture.NotApplicable, Edit: goodtest.Edits(none(), fallback(""))},
		{Name: "only one that goes away", Want: posture.NotApplicable, Edit: goodtest.Edits(status("pending_deletion", "expired", 300),
			fallback(""))},
	}
	for _, s := range []string{"moved", "blocked", "pending_blocked", "test_blocked", "test_failed"} {
		out = append(out, goodtest.Example{Name: "status " + s, Want: posture.Fail, Resource: "ch1", Edit: status(s, "active", 100)})
	}
	for _, s := range []string{"expired", "inactive", "deactivating", "validation_timed_out"} {
		out = append(out, goodtest.Example{Name: "certificate " + s, Want: posture.Fail, Resource: "ch1", Edit: status("active", s, 100)})
	}
	for _, s := range []string{"active_redeploying", "provisioned", "test_active", "test_active_apex"} {
		out = append(out, goodtest.Example{Name: "status " + s, Want: posture.Pass, Edit: status(s, "active", 100)})
	}
	return out
}

// fallbackWords returns the words for the fallback origin, which is reported on the zone.
func fallbackWords() posture.Words {
	return posture.Words{Problem: "The fallback origin of {zone} is not active",
		Impact: "Custom hostnames without an origin of their own answer with an error for every visitor.",
		Breaks: "Nothing; custom hostnames start to work again.", ByHand: true,
		Dashboard: "SSL/TLS › Custom Hostnames › Fallback Origin: enter a proxied name of the zone."}
}
