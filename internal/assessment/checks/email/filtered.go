package email

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// filtered judges whether the mail of every onboarded domain is inspected before delivery. Modes
// that inspect delivered mail count as none, like copies.
func filtered() check.Check {
	return check.Check{
		ID: "CFL-EMAILSEC-001", Title: "Email Security protects every onboarded domain",
		Category: "email-security", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Email Security inspects the mail of a domain only while the connection to the mail provider is authorised " +
			"and a delivery mode is set. A domain that fails either one is in the list without protection.",
		Fix: "Renew the authorisation at the mail provider, then set a delivery mode that inspects mail before delivery.",
		Words: posture.Words{
			Problem:   "Domains in Email Security of this account are not protected",
			Impact:    "Phishing and malware for the people of that domain reach the inbox without being inspected.",
			Breaks:    "Mail stops while MX records and the delivery mode do not fit together.",
			Dashboard: "Zero Trust › Email security › Settings › Domain management › Domains › the domain › Edit.",
		},
		References: []string{"https://developers.cloudflare.com/email-security/"},
		Controls: check.Controls{
			check.Shows("cis 9.7", "Inbound mail of every onboarded domain is scanned."),
			check.Supports("soc2 CC6.8", "Malicious software in mail is found before it is delivered."),
			check.Shows("pci 5.4.1", "Phishing in inbound mail is detected automatically."),
			check.Supports("nist DE.CM-09", "Mail content is monitored."),
		},
		Aliases:  []string{"flareinspect:CFL-EMAILSEC-001"},
		Needs:    []snapshot.Named{snapshot.EmailSecurityDomains},
		Unless:   check.Empty(snapshot.EmailSecurityDomains, "Email Security protects no domain"),
		Evaluate: evaluateFiltered,
	}
}

func evaluateFiltered(v *check.View) check.Outcome {
	domains := check.Read(v, snapshot.EmailSecurityDomains)
	var failed, doubtful []posture.Evidence
	var weakest snapshot.ProtectedDomain
	odd := ""
	for _, d := range domains {
		bad, weak, unclear := judgeDomain(d)
		failed, doubtful = append(failed, bad...), append(doubtful, weak...)
		if len(weak) > 0 {
			weakest = d
		}
		if unclear != "" && odd == "" {
			odd = unclear + " of " + d.Domain
		}
	}
	switch {
	case len(failed) > 0:
		return v.Fail("Email Security does not protect every domain: "+failed[0].Observed+".", append(failed, doubtful...)...)
	case len(doubtful) > 0:
		words := posture.Words{Problem: "Email Security of this account protects a domain in part",
			Impact: "Some phishing and malware reaches the inbox of that domain, or travels to it without encryption."}
		if len(doubtful) == 1 {
			words.Call = tightened(weakest)
		}
		return v.Warn("Email Security protects a domain in part: "+doubtful[0].Observed+".", doubtful...).As(words)
	case odd != "":
		return v.Unknown("this check does not know the " + odd)
	}
	return v.Pass("Email Security protects %s.", check.Count(len(domains), "domain", ""))
}

// tightened returns the call that closes the gap of a domain, if one setting does.
func tightened(d snapshot.ProtectedDomain) posture.Call {
	c := posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/email-security/settings/domains/" + url.PathEscape(d.ID)}
	switch {
	case slices.Contains(d.DeliveryModes, "DIRECT") && !slices.Contains(d.Drops, "MALICIOUS"):
		c.From, c.Body = c.Path, `{drop_dispositions: ((.result.drop_dispositions // []) + ["MALICIOUS"])}`
	case d.RequiresTLSIn != nil && !*d.RequiresTLSIn:
		c.Body = `{"require_tls_inbound": true}`
	default:
		return posture.Call{}
	}
	return c
}

// judgeDomain returns what makes a domain fail or warn, and what cannot be judged.
func judgeDomain(d snapshot.ProtectedDomain) (failed, doubtful []posture.Evidence, unclear string) {
	seen := func(field, observed, want string) []posture.Evidence {
		return []posture.Evidence{check.Evidence(snapshot.EmailSecurityDomains, "/"+d.ID+"/"+field, d.Domain+" "+observed, want)}
	}
	switch strings.ToLower(d.Status) {
	case "active":
	case "failed", "timeout":
		failed = append(failed, seen("status", "has the status "+strings.ToLower(d.Status), "active")...)
	case "pending", "":
		doubtful = append(doubtful, seen("status", "has the status "+cmp.Or(strings.ToLower(d.Status), "none"), "active")...)
	default:
		unclear = "status"
	}
	switch {
	case d.Authorized == nil:
		doubtful = append(doubtful, seen("authorization", "has no authorisation", "authorised")...)
	case !*d.Authorized:
		failed = append(failed, seen("authorization", "is not authorised", "authorised")...)
	}
	direct := slices.Contains(d.DeliveryModes, "DIRECT")
	known := func(mode string) bool {
		return slices.Contains([]string{"BCC", "JOURNAL", "RETRO_SCAN"}, mode)
	}
	switch {
	case direct || slices.Contains(d.DeliveryModes, "API"):
	case slices.ContainsFunc(d.DeliveryModes, func(m string) bool { return !known(m) }):
		unclear = cmp.Or(unclear, "delivery modes")
	case !slices.ContainsFunc(d.DeliveryModes, func(m string) bool { return m != "RETRO_SCAN" }):
		failed = append(failed, seen("allowed_delivery_modes", "has no live mail inspected", "DIRECT or API")...)
	default:
		doubtful = append(doubtful, seen("allowed_delivery_modes", "has only copies of its mail inspected", "DIRECT or API")...)
	}
	if direct && !slices.Contains(d.Drops, "MALICIOUS") {
		doubtful = append(doubtful, seen("drop_dispositions", "delivers malicious mail", "MALICIOUS")...)
	}
	if d.RequiresTLSIn != nil && !*d.RequiresTLSIn {
		doubtful = append(doubtful, seen("require_tls_inbound", "takes mail without TLS", "true")...)
	}
	return failed, doubtful, unclear
}

func filteredExamples() []goodtest.Example {
	no := false
	domain := func(change func(*snapshot.ProtectedDomain)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.EmailSecurityDomains, goodtest.Account, func(ds *[]snapshot.ProtectedDomain) { change(&(*ds)[0]) })
		}
	}
	status := func(s string) func(*snapshot.Builder) {
		return domain(func(d *snapshot.ProtectedDomain) { d.Status = s })
	}
	modes := func(all ...string) func(*snapshot.Builder) {
		return domain(func(d *snapshot.ProtectedDomain) { d.DeliveryModes = all })
	}
	account := goodtest.Account
	return []goodtest.Example{
		{Name: "protected", Want: posture.Pass, Resource: account},
		{Name: "by API, where nothing is dropped on the way", Want: posture.Pass, Edit: goodtest.Edits(modes("API", "RETRO_SCAN"),
			domain(func(d *snapshot.ProtectedDomain) { d.Drops = nil }))},
		{Name: "nothing is said about TLS", Want: posture.Pass, Edit: domain(func(d *snapshot.ProtectedDomain) { d.RequiresTLSIn = nil })},
		{Name: "failed", Want: posture.Fail, Resource: account, Edit: status("failed")},
		{Name: "timeout", Want: posture.Fail, Edit: status("timeout")},
		{Name: "not authorised", Want: posture.Fail, Edit: domain(func(d *snapshot.ProtectedDomain) { d.Authorized = &no })},
		{Name: "no mode", Want: posture.Fail, Edit: modes()},
		{Name: "only delivered mail", Want: posture.Fail, Edit: modes("RETRO_SCAN")},
		{Name: "one of two", Want: posture.Fail, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.EmailSecurityDomains, account, func(ds *[]snapshot.ProtectedDomain) {
				*ds = append(*ds, snapshot.ProtectedDomain{ID: "9", Domain: "second.example", Status: "failed"})
			})
		}},
		{Name: "pending", Want: posture.Warning, Resource: account, Edit: status("pending")},
		{Name: "no status", Want: posture.Warning, Edit: status("")},
		{Name: "no authorisation", Want: posture.Warning, Edit: domain(func(d *snapshot.ProtectedDomain) { d.Authorized = nil })},
		{Name: "copies", Want: posture.Warning, Edit: modes("BCC")},
		{Name: "copies and delivered mail", Want: posture.Warning, Edit: modes("JOURNAL", "RETRO_SCAN")},
		{Name: "malicious mail is delivered", Want: posture.Warning,
			Edit: domain(func(d *snapshot.ProtectedDomain) { d.Drops = []string{"SPAM"} })},
		{Name: "no TLS", Want: posture.Warning, Edit: domain(func(d *snapshot.ProtectedDomain) { d.RequiresTLSIn = &no })},
		{Name: "a status nobody knows", Want: posture.Unknown, Resource: account, Edit: status("moved")},
		{Name: "a mode nobody knows", Want: posture.Unknown, Edit: modes("PIGEON")},
		{Name: "no domain", Want: posture.NotApplicable, Edit: noFilter},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: unlicensed},
	}
}

// noFilter is an example edit: no domain is onboarded.
func noFilter(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.EmailSecurityDomains, goodtest.Account, []snapshot.ProtectedDomain{})
	b.Mark(snapshot.EmailSecurityAllow.Source(), snapshot.Skipped, "", "Email Security protects no domain")
	b.Mark(snapshot.EmailSecurityTrusted.Source(), snapshot.Skipped, "", "Email Security protects no domain")
}

// unlicensed is an example edit: the account does not have Email Security.
func unlicensed(b *snapshot.Builder) {
	noFilter(b)
	b.Mark(snapshot.EmailSecurityDomains.Source(), snapshot.NotEntitled, "", "")
}
