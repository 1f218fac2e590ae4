package insight

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// overdue judges how long serious issues, including exposures, stay open.
func overdue() check.Check {
	return check.Check{
		ID: "CFL-INSIGHT-003", Title: "Insights are resolved in time",
		Category: "security-insights", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "An insight that is known and stays open is what auditors ask about and what attackers find.",
		Fix: "Give each open insight an owner and a date, and resolve the oldest critical ones first.",
		Words: posture.Words{
			Problem:   "Security Center insights of this account are overdue",
			Impact:    "Weaknesses that are known to Cloudflare stay usable for weeks.",
			Breaks:    "Nothing by itself; each fix says what it changes.",
			Dashboard: "Security Center › Security Insights: sort by date and open the oldest first.",
		},
		References: references(),
		Controls: check.Controls{
			check.Shows("cis 7.7", "Weaknesses are fixed within the time that was set."),
			check.Shows("soc2 CC4.2", "Reported weaknesses are followed up in time."),
			check.Supports("pci 6.3.1", "Weaknesses are handled in the order of their rank."),
			check.Shows("nist ID.RA-06", "Responses to weaknesses are tracked until they are done."),
		},
		Aliases:  []string{"flareinspect:CFL-INSIGHT-003"},
		Needs:    []snapshot.Named{snapshot.AccountInsights},
		Evaluate: evaluateOverdue,
	}
}

func overdueExamples() []goodtest.Example {
	open := func(severity string, days int) func(*snapshot.Builder) {
		return add(func(i *snapshot.Insight) { i.Severity, i.Since = severity, daysAgo(days) })
	}
	return []goodtest.Example{
		{Name: "nothing serious is open", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "critical, exactly 7 days", Want: posture.Pass, Edit: open(severityCritical, 7)},
		{Name: "critical, 8 days", Want: posture.Fail, Resource: goodtest.Account, Edit: open(severityCritical, 8)},
		{Name: "moderate, exactly 30 days", Want: posture.Pass, Edit: open(severityModerate, 30)},
		{Name: "moderate, 31 days", Want: posture.Warning, Resource: goodtest.Account, Edit: open(severityModerate, 31)},
		{Name: "low, a year", Want: posture.Pass, Edit: open(severityLow, 365)},
		{Name: "an exposure counts too", Want: posture.Fail, Edit: add(func(i *snapshot.Insight) {
			i.Class, i.Severity, i.Since = "a_record_dangling", severityCritical, daysAgo(8)
		})},
		{Name: "dismissed", Want: posture.Pass, Edit: add(func(i *snapshot.Insight) {
			i.Severity, i.Since, i.Dismissed = severityCritical,
				daysAgo(90), true
		})},
		{Name: "a severity nobody knows, for 8 days", Want: posture.Unknown, Resource: goodtest.Account, Edit: open("High", 8)},
		{Name: "a severity nobody knows, for 7 days", Want: posture.Pass, Edit: open("High", 7)},
		{Name: "a severity nobody knows, for 8 days, and a moderate one", Want: posture.Warning,
			Edit: goodtest.Edits(open("High", 8), open(severityModerate, 31))},
		{Name: "critical without a date", Want: posture.Unknown, Edit: add(func(i *snapshot.Insight) {
			i.Severity, i.Since = severityCritical,
				snapshot.Time{}
		})},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: notEntitled},
	}
}

func evaluateOverdue(v *check.View) check.Outcome {
	all := issues(check.Read(v, snapshot.AccountInsights), snapshot.Insight.Open)
	open, aging := issues(all, severity(severityCritical, severityModerate)), func(i snapshot.Insight) bool {
		return undated(i) || openFor(v, v.Policy.InsightCriticalDays)(i)
	}
	late := issues(open, severity(severityCritical), openFor(v, v.Policy.InsightCriticalDays))
	slow := issues(open, severity(severityModerate), openFor(v, v.Policy.InsightModerateDays))
	switch {
	case len(late) > 0:
		return v.Fail(fmt.Sprintf("%s open for more than %d days: %s.", check.Count(len(late), "critical insight is", "critical insights are"),
			v.Policy.InsightCriticalDays, reported(late)),
			rows(late, fmt.Sprintf("resolved within %d days", v.Policy.InsightCriticalDays))...)
	case len(issues(open, severity(severityCritical), undated)) > 0:
		return v.Unknown("Cloudflare does not say since when a critical insight is open")
	case len(slow) > 0:
		return v.Warn(fmt.Sprintf("%s open for more than %d days: %s.", check.Count(len(slow), "moderate insight is", "moderate insights are"),
			v.Policy.InsightModerateDays, reported(slow)),
			rows(slow, fmt.Sprintf("resolved within %d days", v.Policy.InsightModerateDays))...)
	case len(issues(open, undated)) > 0:
		return v.Unknown("Cloudflare does not say since when a moderate issue is open")
	case len(issues(all, odd, aging)) > 0:
		return v.Unknown("an issue that is open for long has a severity this check does not know")
	}
	return v.Pass("No serious issue is open for long.")
}

// suggestion judges how long suggestions stay open.
func suggestion() check.Check {
	const issueType = "configuration_suggestion"
	return check.Check{
		ID: "CFL-INSIGHT-008", Title: "Configuration suggestions are handled",
		Category: "security-insights", Severity: posture.Informational, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Suggestions name protection that the plan includes and nobody has turned on.",
		Fix: "Apply each suggestion, or archive it with the reason why it does not fit.",
		Words: posture.Words{
			Problem:   "Configuration suggestions wait in this account",
			Impact:    "Protection that is paid for does nothing against the attacks it is made for.",
			Breaks:    "Depends on the suggestion; its page says what the change does.",
			Dashboard: "Security Center › Security Insights: filter by Configuration suggestion and open each one.",
		},
		References: references(),
		Controls: check.Controls{
			check.Supports("cis 4.1", "Suggestions to harden the configuration are looked at."),
			check.Supports("soc2 CC4.1", "Suggestions from continuous evaluation are taken up."),
			check.Touches("pci 2.2.1", "Suggestions may go beyond what a hardening standard demands."),
			check.Supports("nist ID.IM-01", "Improvements come out of what was suggested."),
		},
		Aliases: []string{"cfsi:class-configuration-suggestion", "cfsi:unassigned-access-seats", "cfsi:new-casb-integrations",
			"cfsi:api-more-errors", "cfsi:api-more-latency", "cfsi:api-larger-bodies"},
		Needs: []snapshot.Named{snapshot.AccountInsights},
		Evaluate: func(v *check.View) check.Outcome {
			all := ofKind(v, issueType)
			old := issues(all, openFor(v, v.Policy.InsightAdviceDays))
			switch {
			case len(all) == 0:
				return v.Pass("No suggestion of Cloudflare is open.")
			case len(old) > 0:
				return v.Fail(fmt.Sprintf("%s open for more than %d days: %s.", check.Count(len(old), "suggestion of Cloudflare is",
					"suggestions of Cloudflare are"), v.Policy.InsightAdviceDays, reported(old)), rows(old, "applied or dismissed")...)
			case len(issues(all, undated)) > 0:
				return v.Unknown("Cloudflare does not say since when a suggestion is open")
			}
			return v.Warn(fmt.Sprintf("%s open: %s.", check.Count(len(all), "suggestion of Cloudflare is", "suggestions of Cloudflare are"),
				reported(all)), rows(all, "applied or dismissed")...)
		},
	}
}

func suggestionExamples() []goodtest.Example {
	const issueType = "configuration_suggestion"
	open := func(days int) func(*snapshot.Builder) {
		return add(func(i *snapshot.Insight) { i.Type, i.Severity, i.Since = issueType, severityLow, daysAgo(days) })
	}
	return []goodtest.Example{
		{Name: "none is open", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "91 days", Want: posture.Fail, Resource: goodtest.Account, Edit: open(91)},
		{Name: "exactly 90 days", Want: posture.Warning, Resource: goodtest.Account, Edit: open(90)},
		{Name: "without a date", Want: posture.Unknown, Edit: add(func(i *snapshot.Insight) { i.Type, i.Since = issueType, snapshot.Time{} })},
		{Name: "a critical one belongs to another check", Want: posture.Pass,
			Edit: add(func(i *snapshot.Insight) { i.Type, i.Severity = issueType, severityCritical })},
		{Name: "an exposure belongs to another check", Want: posture.Pass,
			Edit: add(func(i *snapshot.Insight) { i.Type, i.Class = issueType, "dangling_record" })},
		{Name: "dismissed", Want: posture.Pass, Edit: add(func(i *snapshot.Insight) { i.Type, i.Dismissed = issueType, true })},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: notEntitled},
	}
}

// dismissed judges whether serious issues were dismissed with a reason.
func dismissed() check.Check {
	return check.Check{
		ID: "CFL-INSIGHT-009", Title: "Serious insights are dismissed only with a reason",
		Category: "security-insights", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "An insight that is archived without a reason hides its risk from the next reviewer.",
		Fix: "Write down for each archived insight why the risk is accepted or why it is a false alarm.",
		Words: posture.Words{
			Problem:   "Serious insights of this account were archived without reason",
			Impact:    "A real weakness stays open, because everyone takes it for handled.",
			Breaks:    "Nothing; only the record of the decision changes.",
			Dashboard: "Security Center › Security Insights › Archived: open each one and add the reason, or restore it.",
		},
		References: references(),
		Controls: check.Controls{
			check.Supports("cis 7.7", "Weaknesses are not made to vanish by a click."),
			check.Supports("soc2 CC4.2", "A dismissal has a reason that can be reviewed."),
			check.Supports("pci 6.3.1", "The rank of a weakness is not ignored without a reason."),
			check.Supports("nist ID.RA-06", "The decision not to act is recorded."),
			check.Shows("nist ID.RA-07", "Exceptions are recorded with their reason."),
		},
		Needs: []snapshot.Named{snapshot.AccountInsights},
		Evaluate: func(v *check.View) check.Outcome {
			silent := issues(check.Read(v, snapshot.AccountInsights), func(i snapshot.Insight) bool { return i.Dismissed && i.Verdict == "" })
			worst, worse := issues(silent, severity(severityCritical)), issues(silent, severity(severityModerate))
			switch {
			case len(worst) > 0:
				return v.Fail("The archive holds "+check.Count(len(worst), "critical insight", "")+" without a reason: "+reported(worst)+".",
					rows(worst, "a reason")...)
			case len(worse) > 0:
				return v.Warn("The archive holds "+check.Count(len(worse), "moderate insight", "")+" without a reason: "+reported(worse)+".",
					rows(worse, "a reason")...)
			case len(issues(silent, odd)) > 0:
				return v.Unknown("an issue that was archived without a reason has a severity this check does not know")
			}
			return v.Pass("Every serious insight that was archived has a reason.")
		},
	}
}

func dismissedExamples() []goodtest.Example {
	aside := func(severity, verdict string) func(*snapshot.Builder) {
		return add(func(i *snapshot.Insight) { i.Severity, i.Dismissed, i.Verdict = severity, true, verdict })
	}
	return []goodtest.Example{
		{Name: "none was dismissed", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "critical with a reason", Want: posture.Pass, Edit: aside(severityCritical, "accept_risk")},
		{Name: "critical without", Want: posture.Fail, Resource: goodtest.Account, Edit: aside(severityCritical, "")},
		{Name: "moderate without", Want: posture.Warning, Resource: goodtest.Account, Edit: aside(severityModerate, "")},
		{Name: "a severity nobody knows, without", Want: posture.Unknown, Edit: aside("", "")},
		{Name: "a severity nobody knows, with a reason", Want: posture.Pass, Edit: aside("", "accept_risk")},
		{Name: "low without", Want: posture.Pass, Edit: aside(severityLow, "")},
		{Name: "open without", Want: posture.Pass, Edit: add(func(i *snapshot.Insight) { i.Severity = severityCritical })},
		{Name: "an exposure counts too", Want: posture.Fail, Edit: add(func(i *snapshot.Insight) {
			i.Class, i.Severity, i.Dismissed = "a_record_dangling", severityCritical, true
		})},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: notEntitled},
	}
}
