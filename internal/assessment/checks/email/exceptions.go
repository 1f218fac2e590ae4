package email

import (
	"net/url"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// exceptions judges whose mail bypasses the filter. A single IP address counts as one address; the
// operator's own mail domains count as own domains. A policy that only accepts a sender keeps the
// scan for malicious content; Cloudflare recommends it for mailings of a verified foreign domain
// and for one address of an own server, which nobody can forge
// (developers.cloudflare.com/cloudflare-one/email-security/settings/detection-settings/allow-policies/).
func exceptions() check.Check {
	return check.Check{
		ID: "CFL-EMAILSEC-002", Title: "Allow policies and trusted domains are narrow",
		Category: "email-security", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Mail that an allow policy or a trusted domain covers skips checks of Email Security. A pattern for a public " +
			"mail provider covers everyone with a free mailbox there.",
		Fix: "Replace the pattern with single addresses or an own domain, choose Accept sender, and require sender verification.",
		Words: posture.Words{
			Problem:   "Email Security of this account lets mail pass unchecked",
			Impact:    "Anyone who sends from a covered address, or forges it, gets phishing and malware into the inbox.",
			Breaks:    "Mail of partners that only passed because of the wide pattern can be held back.",
			Dashboard: "Zero Trust › Email security › Settings › Detection settings › Allow policies or Trusted domains › Edit.",
		},
		References: []string{"https://developers.cloudflare.com/email-security/"},
		Controls: check.Controls{
			check.Supports("cis 9.7", "Mail is scanned because few senders are let past the scanner."),
			check.Supports("soc2 CC6.8", "Malicious attachments do not come in by an exception."),
			check.Supports("pci 5.4.1", "Exceptions through which phishing would pass are narrow."),
			check.Supports("nist PR.PS-05", "Software sent by mail passes the scanner."),
		},
		Needs: []snapshot.Named{snapshot.EmailSecurityAllow, snapshot.EmailSecurityTrusted, snapshot.EmailSecurityDomains,
			snapshot.ZoneList},
		Evaluate: evaluateExceptions,
	}
}

// exceptionProblems collects the problems of an account's exceptions.
type exceptionProblems struct {
	failed, doubtful []posture.Evidence
	scanned          int // number of warnings about mail that is still scanned for malicious content
	odd              string
	call             posture.Call // closes the last recorded problem
}

// words adds the call only if it closes the whole finding.
func (t *exceptionProblems) words(w posture.Words) posture.Words {
	if len(t.failed)+len(t.doubtful) == 1 {
		w.Call = t.call
	}
	return w
}

func evaluateExceptions(v *check.View) check.Outcome {
	allow, trusted := check.Read(v, snapshot.EmailSecurityAllow), check.Read(v, snapshot.EmailSecurityTrusted)
	switch {
	case len(check.Read(v, snapshot.EmailSecurityDomains)) == 0:
		return v.NotApplicable("Email Security protects no domain")
	case len(allow)+len(trusted) == 0:
		return v.NotApplicable("the account has neither an allow policy nor a trusted domain")
	}
	t := &exceptionProblems{}
	for _, p := range allow {
		t.policy(v, p)
	}
	for _, d := range trusted {
		t.trusted(d)
	}
	switch {
	case len(t.failed) > 0:
		return v.Fail("Email Security lets mail of strangers pass: the "+t.failed[0].Observed+".", append(t.failed, t.doubtful...)...).
			As(t.words(posture.Words{}))
	case len(t.doubtful) > 0 && t.scanned == len(t.doubtful):
		return v.Warn("Email Security takes mail for wanted that strangers can send: the "+t.doubtful[0].Observed+".", t.doubtful...).
			As(t.words(posture.Words{Problem: "Email Security of this account accepts senders of a wide pattern",
				Impact: "Someone who sends from a covered address, or forges one, gets spam and forged mail into the inbox; malice in it is still " +
					"looked for."}))
	case len(t.doubtful) > 0:
		return v.Warn("Email Security has a wide exception: the "+t.doubtful[0].Observed+".", t.doubtful...).
			As(t.words(posture.Words{Problem: "Email Security of this account has wide exceptions",
				Impact: "Someone who forges a covered sender, or writes to an exempt recipient, gets phishing past the checks."}))
	case t.odd != "":
		return v.Unknown("this check cannot tell what " + t.odd + " matches")
	}
	return v.Pass("%s of Email Security, all narrow.", check.Count(len(allow)+len(trusted), "exception", ""))
}

func (t *exceptionProblems) policy(v *check.View, p snapshot.AllowPolicy) {
	name := "allow policy " + p.ID
	fail, doubt := t.recorders(snapshot.EmailSecurityAllow, p.ID, name)
	if p.OnlyAccepts {
		t.accepted(p, name, doubt)
		return
	}
	if t.everybody(p.Pattern, name, fail) {
		return
	}
	domain := p.Pattern.Kind == mailauth.PatternDomain
	switch {
	case p.VerifySender == nil:
		t.odd = name
	case !*p.VerifySender:
		doubt("verify_sender", "does not verify the sender", "true")
	}
	switch {
	case p.ExemptRecipient && domain:
		doubt("is_exempt_recipient", "exempts every recipient at "+p.Pattern.Domain, "single recipients")
	case domain && !ownMail(v, p.Pattern.Domain) && !protected(v, p.Pattern.Domain):
		doubt("pattern", "is for the foreign domain "+p.Pattern.Domain, "one address or an own domain")
	case p.Pattern.Kind == mailauth.PatternNetwork:
		doubt("pattern", "is for the address range "+p.Pattern.Text, "one address or an own domain")
	case p.Pattern.Kind == mailauth.PatternExpression && p.Pattern.Breadth == mailauth.BreadthNarrow:
		doubt("pattern", "is for an expression", "one address or an own domain")
	}
}

// accepted judges a policy whose mail is still scanned for malicious content: a wide one admits
// spam and forged senders.
func (t *exceptionProblems) accepted(p snapshot.AllowPolicy, name string, doubt recorder) {
	before := len(t.doubtful)
	defer func() { t.scanned += len(t.doubtful) - before }()
	if t.everybody(p.Pattern, name, doubt) {
		return
	}
	switch {
	case p.Pattern.Kind == mailauth.PatternHost || p.Pattern.Kind == mailauth.PatternNetwork: // a sender cannot forge the source address
	case p.VerifySender == nil:
		t.odd = name
	case !*p.VerifySender:
		doubt("verify_sender", "does not verify the sender", "true")
	}
	if p.Pattern.Kind == mailauth.PatternNetwork {
		doubt("pattern", "is for the address range "+p.Pattern.Text, "one address or an own domain")
	}
}

func (t *exceptionProblems) trusted(d snapshot.TrustedDomain) {
	name := "trusted domain " + d.ID
	fail, doubt := t.recorders(snapshot.EmailSecurityTrusted, d.ID, name)
	if t.everybody(d.Pattern, name, fail) {
		return
	}
	switch {
	case d.Pattern.Kind == mailauth.PatternExpression && d.Pattern.Breadth == mailauth.BreadthNarrow:
		doubt("pattern", "is an expression", "one domain")
	case d.Pattern.Kind != mailauth.PatternDomain:
		t.odd = name
	}
}

type recorder func(field, observed, want string)

func (t *exceptionProblems) recorders(source snapshot.Named, id, name string) (fail, doubt recorder) {
	to := func(list *[]posture.Evidence) recorder {
		return func(field, observed, want string) {
			*list = append(*list, check.Evidence(source, "/"+id+"/"+field, name+" "+observed, want))
			t.call = posture.Call{Method: "DELETE", Path: "/accounts/{account_id}/email-security/settings/allow_policies/" + url.PathEscape(id)}
			switch {
			case field == "verify_sender":
				t.call.Method, t.call.Body = "PATCH", `{"verify_sender": true}`
			case source == snapshot.Named(snapshot.EmailSecurityTrusted):
				t.call.Path = "/accounts/{account_id}/email-security/settings/trusted_domains/" + url.PathEscape(id)
			}
		}
	}
	return to(&t.failed), to(&t.doubtful)
}

// everybody records a pattern that matches unrelated senders, and one that cannot be parsed.
func (t *exceptionProblems) everybody(p snapshot.MailPattern, name string, fail recorder) bool {
	const want = "one address or one domain"
	switch {
	case p.Kind == mailauth.PatternDomain && mailauth.PublicDomain(p.Domain):
		fail("pattern", "is for the public mail domain "+p.Domain, want)
	case p.Kind == mailauth.PatternExpression && p.Breadth == mailauth.BreadthAnyone:
		fail("pattern", "matches senders that have nothing to do with each other", want)
	case p.Kind == mailauth.PatternExpression && p.Breadth == mailauth.BreadthPublic:
		fail("pattern", "matches every sender of a public mail domain", want)
	default:
		if p.Kind == mailauth.PatternUnclear || p.Kind == "" || p.Kind == mailauth.PatternExpression && p.Breadth != mailauth.BreadthNarrow {
			t.odd = name
		}
		return false
	}
	return true
}

// protected reports whether the account filters the mail of a domain.
func protected(v *check.View, domain string) bool {
	return slices.ContainsFunc(check.Read(v, snapshot.EmailSecurityDomains),
		func(d snapshot.ProtectedDomain) bool { return exposure.Within(domain, d.Domain) })
}

func exceptionsExamples() []goodtest.Example {
	yes, no := true, false
	put := func(p snapshot.AllowPolicy) func(*snapshot.Builder) {
		p.ID = "8"
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.EmailSecurityAllow, goodtest.Account, func(ps *[]snapshot.AllowPolicy) { *ps = append(*ps, p) })
		}
	}
	allow := func(kind, domain, breadth string) func(*snapshot.Builder) {
		return put(snapshot.AllowPolicy{Pattern: snapshot.MailPattern{Kind: kind, Text: domain, Domain: domain, Breadth: breadth},
			VerifySender: &yes})
	}
	trust := func(kind, domain, breadth string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.EmailSecurityTrusted, goodtest.Account, func(ds *[]snapshot.TrustedDomain) {
				*ds = append(*ds, snapshot.TrustedDomain{ID: "9", Pattern: snapshot.MailPattern{Kind: kind, Domain: domain, Breadth: breadth}})
			})
		}
	}
	none := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.EmailSecurityAllow, goodtest.Account, []snapshot.AllowPolicy{})
		snapshot.Put(b, snapshot.EmailSecurityTrusted, goodtest.Account, []snapshot.TrustedDomain{})
	}
	own := func(p *policy.Policy) { p.OwnMailDomains = []string{"sister.test"} }
	exempt := put(snapshot.AllowPolicy{Pattern: snapshot.MailPattern{Kind: "domain", Domain: goodtest.Domain}, VerifySender: &yes,
		ExemptRecipient: true})
	unverified := put(snapshot.AllowPolicy{Pattern: snapshot.MailPattern{Kind: "address", Domain: "partner.test"}, VerifySender: &no})
	accepts := func(kind, domain, breadth string, verify *bool) func(*snapshot.Builder) {
		return put(snapshot.AllowPolicy{Pattern: snapshot.MailPattern{Kind: kind, Text: domain, Domain: domain, Breadth: breadth},
			VerifySender: verify, OnlyAccepts: true})
	}
	silent := put(snapshot.AllowPolicy{Pattern: snapshot.MailPattern{Kind: "address", Domain: "partner.test"}})
	return []goodtest.Example{
		{Name: "narrow", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "an address at a public domain", Want: posture.Pass, Edit: allow("address", "gmail.com", "")},
		{Name: "a filtered domain", Want: posture.Pass, Edit: allow("domain", "mail.filtered.example", "")},
		{Name: "a listed domain", Want: posture.Pass, Edit: allow("domain", "sister.test", ""), Policy: own},
		{Name: "one IP address", Want: posture.Pass, Edit: allow("ip", "", "")},
		{Name: "a foreign trusted domain", Want: posture.Pass, Edit: trust("domain", "partner.test", "")},
		{Name: "an expression for everybody", Want: posture.Fail, Resource: goodtest.Account, Edit: allow("expression", "", "anyone")},
		{Name: "an expression for a public domain", Want: posture.Fail, Edit: allow("expression", "", "public")},
		{Name: "a public domain", Want: posture.Fail, Edit: allow("domain", "GMX.de", "")},
		{Name: "a trusted public domain", Want: posture.Fail, Edit: trust("domain", "outlook.com", "")},
		{Name: "a trusted expression for everybody", Want: posture.Fail, Edit: trust("expression", "", "anyone")},
		{Name: "the sender is not verified", Want: posture.Warning, Resource: goodtest.Account, Edit: unverified},
		{Name: "a whole domain is exempt", Want: posture.Warning, Edit: exempt},
		{Name: "a foreign domain", Want: posture.Warning, Edit: allow("domain", "partner.test", "")},
		{Name: "an address range", Want: posture.Warning, Edit: allow("network", "", "")},
		{Name: "a narrow expression", Want: posture.Warning, Edit: allow("expression", "", "narrow")},
		{Name: "a narrow trusted expression", Want: posture.Warning, Edit: trust("expression", "", "narrow")},
		{Name: "a foreign domain is accepted and verified", Want: posture.Pass, Edit: accepts("domain", "partner.test", "", &yes)},
		{Name: "a narrow expression is accepted and verified", Want: posture.Pass, Edit: accepts("expression", "", "narrow", &yes)},
		{Name: "one IP address is accepted unverified", Want: posture.Pass, Edit: accepts("ip", "", "", &no)},
		{Name: "one IP address is trusted unverified", Want: posture.Warning,
			Edit: put(snapshot.AllowPolicy{Pattern: snapshot.MailPattern{Kind: "ip", Text: "45.60.0.1"}, VerifySender: &no})},
		{Name: "a foreign domain is accepted unverified", Want: posture.Warning, Resource: goodtest.Account,
			Edit: accepts("domain", "partner.test", "", &no)},
		{Name: "an address is accepted unverified", Want: posture.Warning, Edit: accepts("address", "partner.test", "", &no)},
		{Name: "everybody is accepted", Want: posture.Warning, Edit: accepts("expression", "", "anyone", &yes)},
		{Name: "a public domain is accepted", Want: posture.Warning, Edit: accepts("domain", "gmx.de", "", &yes)},
		{Name: "an address range is accepted", Want: posture.Warning, Edit: accepts("network", "", "", &no)},
		{Name: "a public domain is accepted, and another trusted", Want: posture.Fail,
			Edit: goodtest.Edits(accepts("domain", "gmx.de", "", &yes), allow("domain", "outlook.com", ""))},
		{Name: "nothing is said about a sender that is accepted", Want: posture.Unknown, Edit: accepts("address", "partner.test", "", nil)},
		{Name: "an accepted pattern nobody can read", Want: posture.Unknown, Edit: accepts("unclear", "", "", &yes)},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: goodtest.Account, Edit: allow("expression", "", "unreadable")},
		{Name: "a pattern nobody can read", Want: posture.Unknown, Edit: allow("unclear", "", "")},
		{Name: "nothing is said about the sender", Want: posture.Unknown, Edit: silent},
		{Name: "a trusted address", Want: posture.Unknown, Edit: trust("address", "partner.test", "")},
		{Name: "no exception", Want: posture.NotApplicable, Edit: none},
		{Name: "no domain", Want: posture.NotApplicable, Edit: noFilter},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: unlicensed},
	}
}
