package insight

import (
	"fmt"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// ofKind selects the open issues of a kind that no other check counts.
func ofKind(v *check.View, issueType string) []snapshot.Insight {
	return issues(check.Read(v, snapshot.AccountInsights), snapshot.Insight.Open, kind(issueType), not(severity(severityCritical)),
		not(exposed))
}

// noneOfKind judges the open issues of a kind; what is its name in messages.
func noneOfKind(issueType, what string) func(*check.View) check.Outcome {
	return func(v *check.View) check.Outcome {
		open := ofKind(v, issueType)
		worse := issues(open, severity(severityModerate))
		switch {
		case len(open) == 0:
			return v.Pass("Cloudflare reports no open %s.", what)
		case len(worse) > 0:
			return v.Fail(fmt.Sprintf("Cloudflare reports %s of moderate severity (%s): %s.", check.Count(len(worse), "open insight", ""),
				what, reported(worse)),
				rows(worse, "resolved")...)
		case len(issues(open, severity(severityLow))) == len(open):
			return v.Warn(fmt.Sprintf("Cloudflare reports %s of low severity (%s): %s.", check.Count(len(open), "open insight", ""), what,
				reported(open)),
				rows(open, "resolved")...)
		}
		return v.Unknown("an open issue has a severity this check does not know")
	}
}

// kindExamples returns the examples of such a check.
func kindExamples(issueType string) []goodtest.Example {
	issue := func(severity string, change func(*snapshot.Insight)) func(*snapshot.Builder) {
		return add(func(i *snapshot.Insight) {
			i.Type, i.Severity = issueType, severity
			if change != nil {
				change(i)
			}
		})
	}
	return []goodtest.Example{
		{Name: "none is open", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a moderate one", Want: posture.Fail, Resource: goodtest.Account, Edit: issue(severityModerate, nil)},
		{Name: "a moderate and a low one", Want: posture.Fail, Edit: goodtest.Edits(issue(severityLow, nil), issue(severityModerate, nil))},
		{Name: "low ones", Want: posture.Warning, Resource: goodtest.Account, Edit: goodtest.Edits(issue(severityLow, nil),
			issue(severityLow, nil))},
		{Name: "a critical one belongs to another check", Want: posture.Pass, Edit: issue(severityCritical, nil)},
		{Name: "an exposure belongs to another check", Want: posture.Pass,
			Edit: issue(severityModerate, func(i *snapshot.Insight) { i.Class = "Exposed_RDP_Servers" })},
		{Name: "one of WordPress", Want: posture.Fail,
			Edit: issue(severityModerate, func(i *snapshot.Insight) { i.Class = "wordpress_exposed_admin" })},
		{Name: "the kind in capitals", Want: posture.Fail,
			Edit: issue(severityModerate, func(i *snapshot.Insight) { i.Type = strings.ToUpper(issueType) })},
		{Name: "another kind", Want: posture.Pass, Edit: add(func(i *snapshot.Insight) { i.Type = "something_else" })},
		{Name: "dismissed", Want: posture.Pass, Edit: issue(severityModerate, func(i *snapshot.Insight) { i.Dismissed = true })},
		{Name: "resolved", Want: posture.Pass, Edit: issue(severityModerate, func(i *snapshot.Insight) { i.Status = "resolved" })},
		{Name: "a severity nobody knows", Want: posture.Unknown, Edit: issue("High", nil)},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: notEntitled},
	}
}

func configuration() check.Check {
	const issueType = "insecure_configuration"
	return check.Check{
		ID: "CFL-INSIGHT-002", Title: "No insecure configuration insight is open",
		Category: "security-insights", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Cloudflare's own scans found settings that weaken the account or a zone. They see what is reachable from " +
			"the internet.",
		Fix: "Open each insight in Security Center and follow its advice, or archive it with a reason.",
		Words: posture.Words{
			Problem:   "Cloudflare reports insecure configuration in this account",
			Impact:    "The weak settings can be seen from outside, so an attacker who scans the account's names finds them too.",
			Breaks:    "Depends on the insight; each page in Security Center says what the change does.",
			Dashboard: "Security Center › Security Insights: filter by Insecure configuration and open each one.",
		},
		References: references(),
		Controls: check.Controls{
			check.Supports("cis 4.1", "Deviations from the baseline that Cloudflare reports are closed."),
			check.Supports("soc2 CC7.1", "Weaknesses in configuration are detected and handled."),
			check.Supports("pci 2.2.1", "Reported insecure settings were hardened; the standard itself is not seen."),
			check.Supports("nist PR.PS-01", "Reported deviations from the baseline are handled."),
		},
		Aliases:  []string{"cfsi:class-insecure-configuration"},
		Needs:    []snapshot.Named{snapshot.AccountInsights},
		Evaluate: noneOfKind(issueType, "insecure configuration"),
	}
}

func configurationExamples() []goodtest.Example {
	const issueType = "insecure_configuration"
	return kindExamples(issueType)
}

func authentication() check.Check {
	const issueType = "weak_authentication"
	return check.Check{
		ID: "CFL-INSIGHT-004", Title: "No weak authentication insight is open",
		Category: "security-insights", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A missing second factor or an open policy is the shortest way to take over an account.",
		Fix: "Demand the second factor or close the policy that the insight names.",
		Words: posture.Words{
			Problem:   "Cloudflare reports weak authentication in this account",
			Impact:    "Someone with one stolen password can sign in as the person the insight names.",
			Breaks:    "People without a second factor have to set one up before they can work again.",
			Dashboard: "Security Center › Security Insights: filter by Weak authentication and open each one.",
		},
		References: references(),
		Controls: check.Controls{
			check.Supports("cis 6.5", "Reported accounts without a second factor are handled."),
			check.Supports("soc2 CC6.1", "Weak logins that Cloudflare reports are closed."),
			check.Supports("pci 8.4.2", "Reported logins without a second factor are handled; others may not be reported."),
			check.Supports("nist PR.AA-03", "Reported weak authentication is handled."),
		},
		Aliases:  []string{"cfsi:class-weak-authentication", "flareinspect:CFL-INSIGHT-004"},
		Paths:    []string{"open-access-app"},
		Needs:    []snapshot.Named{snapshot.AccountInsights},
		Evaluate: noneOfKind(issueType, "weak authentication"),
	}
}

func authenticationExamples() []goodtest.Example {
	const issueType = "weak_authentication"
	return kindExamples(issueType)
}

func infrastructure() check.Check {
	const issueType = "exposed_infrastructure"
	return check.Check{
		ID: "CFL-INSIGHT-005", Title: "No exposed infrastructure insight is open",
		Category: "security-insights", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "An origin that answers on its own address can be attacked around every rule at Cloudflare.",
		Fix: "Proxy the record when only web clients use it, or move the service behind Cloudflare Tunnel.",
		Words: posture.Words{
			Problem:   "Cloudflare reports exposed infrastructure in this account",
			Impact:    "Anyone who knows the address can reach the server directly, past the WAF, rate limits and Access.",
			Breaks:    "A name that serves mail, SSH or another protocol stops working when it is proxied.",
			Dashboard: "Security Center › Security Insights: filter by Exposed infrastructure and open each one.",
		},
		References: references(),
		Controls: check.Controls{
			check.Supports("cis 12.2", "Reported exposed servers are closed."),
			check.Supports("soc2 CC6.6", "Openings in the boundary that Cloudflare saw are closed."),
			check.Supports("pci 1.4.2", "Reported components that should not be public are not."),
			check.Supports("nist PR.IR-01", "Reported exposure of the network is handled."),
		},
		Aliases:  []string{"cfsi:class-exposed-infrastructure", "flareinspect:CFL-INSIGHT-005"},
		Paths:    []string{"exposed-origin", "tunnel-without-access"},
		Needs:    []snapshot.Named{snapshot.AccountInsights},
		Evaluate: noneOfKind(issueType, "exposed infrastructure"),
	}
}

func infrastructureExamples() []goodtest.Example {
	const issueType = "exposed_infrastructure"
	return kindExamples(issueType)
}

func mail() check.Check {
	const issueType = "email_security"
	return check.Check{
		ID: "CFL-INSIGHT-006", Title: "No e-mail security insight is open",
		Category: "security-insights", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Without SPF, DKIM and DMARC anyone can send mail that seems to come from the domain.",
		Fix: "Publish SPF and DMARC records that list your senders, then raise the DMARC policy to reject.",
		Words: posture.Words{
			Problem:   "Cloudflare reports e-mail security issues in this account",
			Impact:    "Anyone can send mail in the name of the domain to customers and colleagues.",
			Breaks:    "Mail of senders that are missing in SPF and do not sign with DKIM is refused once the policy is reject.",
			Dashboard: "Security Center › Security Insights: filter by Email security and open each one.",
		},
		References: references(),
		Controls: check.Controls{
			check.Supports("cis 9.5", "Reported gaps in mail authentication are closed."),
			check.Supports("soc2 CC6.7", "Reported weaknesses by which mail can be forged are closed."),
			check.Supports("pci 5.4.1", "Reported openings for phishing are closed."),
			check.Touches("nist PR.DS-02", "It is about mail that can be forged, less about the wire."),
		},
		Aliases:  []string{"cfsi:class-email-security"},
		Needs:    []snapshot.Named{snapshot.AccountInsights},
		Evaluate: noneOfKind(issueType, "e-mail security"),
	}
}

func mailExamples() []goodtest.Example {
	const issueType = "email_security"
	return kindExamples(issueType)
}

func compliance() check.Check {
	const issueType = "compliance_violation"
	return check.Check{
		ID: "CFL-INSIGHT-007", Title: "No compliance violation insight is open",
		Category: "security-insights", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Cloudflare found that the account breaks a rule that a standard or a contract states.",
		Fix: "Open each insight in Security Center and do what its advice says, or archive it with a reason.",
		Words: posture.Words{
			Problem:   "Cloudflare reports compliance violations in this account",
			Impact:    "An auditor finds the same violation, and what the rule should prevent can happen.",
			Breaks:    "Depends on the insight; each page in Security Center says what the change does.",
			Dashboard: "Security Center › Security Insights: filter by Compliance violation and open each one.",
		},
		References: references(),
		Controls: check.Controls{
			check.Touches("cis 4.1", "It follows reports of violated rules, whatever they are about."),
			check.Supports("soc2 CC4.2", "Reported weaknesses of controls are followed up."),
			check.Touches("pci 6.3.1", "Violations of rules are not vulnerabilities."),
			check.Touches("nist ID.RA-01", "What is recorded are violations, which may be no vulnerabilities."),
		},
		Aliases:  []string{"cfsi:class-compliance-violation"},
		Needs:    []snapshot.Named{snapshot.AccountInsights},
		Evaluate: noneOfKind(issueType, "compliance violations"),
	}
}

func complianceExamples() []goodtest.Example {
	const issueType = "compliance_violation"
	return kindExamples(issueType)
}
