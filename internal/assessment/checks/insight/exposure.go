package insight

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// exposure judges the open issues on dangling records and remote desktops.
func exposure() check.Check {
	return check.Check{
		ID: "CFL-ASM-001", Title: "No dangling record or exposed remote desktop is reported",
		Category: "attack-surface", Severity: posture.Critical, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Scanners look for records that point at nothing and for open remote desktops all day, and use them within " +
			"hours.",
		Fix: "Delete the dangling record, or close the remote desktop port and publish the desktop through Cloudflare " +
			"Tunnel with Access.",
		Words: posture.Words{
			Problem:   "A dangling record or remote desktop of {name} is exposed",
			Impact:    "Someone can claim the name and serve pages under it, or guess passwords at the desktop from anywhere.",
			Breaks:    "Whoever still uses the record or the open port loses the way in.",
			Dashboard: "Security Center › Security Insights: open the insight, then DNS › Records for a record.",
		},
		References: []string{"https://developers.cloudflare.com/security-center/security-insights/",
			"https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/use-cases/rdp/"},
		Controls: check.Controls{
			check.Supports("cis 4.8", "Records and services nobody needs are found from outside and removed."),
			check.Shows("cis 7.6", "Cloudflare scans for them, and nothing it found is open."),
			check.Supports("soc2 CC6.6", "Openings that outsiders can see are closed."),
			check.Supports("pci 1.4.2", "No remote desktop answers untrusted networks."),
			check.Touches("pci 11.3.2", "Cloudflare's scan is not the quarterly scan by an approved vendor."),
			check.Supports("nist ID.RA-01", "Exposures are found from outside and recorded."),
		},
		Aliases: []string{"cfsi:dangling-a", "cfsi:dangling-aaaa", "cfsi:dangling-cname", "cfsi:exposed-rdp", "flareinspect:CFL-ASM-001",
			"flareinspect:CFL-ASM-002"},
		Paths:    []string{"exposed-origin"},
		Needs:    []snapshot.Named{snapshot.AccountInsights, snapshot.ZoneList},
		Evaluate: evaluateExposure,
	}
}

func exposureExamples() []goodtest.Example {
	issue := func(class, severity string) func(*snapshot.Builder) {
		return add(func(i *snapshot.Insight) { i.Class, i.Severity = class, severity })
	}
	return []goodtest.Example{
		{Name: "none is open", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a critical one", Want: posture.Fail, Resource: goodtest.Account, Edit: issue("a_record_dangling", severityCritical)},
		{Name: "a moderate one in other letters", Want: posture.Fail, Edit: issue("Exposed_RDP", severityModerate)},
		{Name: "a low one", Want: posture.Warning, Resource: goodtest.Account, Edit: issue("remote_desktop_open", severityLow)},
		{Name: "another class", Want: posture.Pass, Edit: issue("users_without_mfa", severityCritical)},
		{Name: "a class that only has the letters in it", Want: posture.Pass, Edit: issue("outdated_wordpress_plugin", severityCritical)},
		{Name: "a moderate one in words", Want: posture.Fail, Edit: issue("Dangling CNAME record", severityModerate)},
		{Name: "a mail record", Want: posture.Fail, Edit: issue("mx_record_dangling", severityModerate)},
		{Name: "dismissed", Want: posture.Pass, Edit: add(func(i *snapshot.Insight) { i.Class, i.Dismissed = "a_record_dangling", true })},
		{Name: "resolved", Want: posture.Pass, Edit: add(func(i *snapshot.Insight) { i.Class, i.Status = "a_record_dangling", "resolved" })},
		{Name: "a severity nobody knows", Want: posture.Unknown, Edit: issue("a_record_dangling", "Odd")},
		{Name: "in a zone", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: add(func(i *snapshot.Insight) { i.Class, i.ZoneID = "a_record_dangling", goodtest.Zone })},
		{Name: "in a zone, and another of no zone", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(issue("a_record_dangling", severityCritical),
				add(func(i *snapshot.Insight) { i.Class, i.Severity, i.ZoneID = "exposed_rdp", severityLow, goodtest.Zone }))},
		{Name: "in a zone that is gone", Want: posture.Fail, Resource: goodtest.Account,
			Edit: add(func(i *snapshot.Insight) { i.Class, i.ZoneID = "a_record_dangling", "gone" })},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: notEntitled},
	}
}

func evaluateExposure(v *check.View) check.Outcome {
	open := issues(check.Read(v, snapshot.AccountInsights), snapshot.Insight.Open, exposed)
	if len(open) == 0 {
		return v.Pass("Cloudflare reports no dangling record or exposed remote desktop.")
	}
	j := v.Judge()
	for _, at := range byZone(v, open) {
		worse, low := issues(at.issues, severity(severityCritical, severityModerate)), issues(at.issues, severity(severityLow))
		switch {
		case len(worse) > 0:
			what, words := kinds(worse)
			j.Fail(at.resource, fmt.Sprintf("Cloudflare reports %s: %s.", what, reported(worse)), rows(worse, "resolved")...)
			j.As(words)
		case len(low) > 0:
			what, words := kinds(low)
			j.Warn(at.resource, fmt.Sprintf("Cloudflare reports %s of low severity: %s.", what, reported(low)), rows(low, "resolved")...)
			j.As(words)
		default:
			j.Unknown(at.resource, "an open issue has a severity this check does not know")
		}
	}
	return j.Done("", "")
}

// kinds counts exposures in words, and has the words of a verdict on those of one kind only.
func kinds(is []snapshot.Insight) (string, posture.Words) {
	switch records := issues(is, dangling); len(records) {
	case len(is):
		return check.Count(len(is), "dangling record", ""), posture.Words{
			Problem:   "Cloudflare reports a dangling record of {name}",
			Impact:    "Someone can claim what the record points to and serve pages under its name.",
			Breaks:    "Whoever still uses the record no longer finds what it points to.",
			Dashboard: "DNS › Records: delete the record that Security Center › Security Insights names.",
		}
	case 0:
		return check.Count(len(is), "exposed remote desktop", ""), posture.Words{
			Problem:   "Cloudflare reports an exposed remote desktop of {name}",
			Impact:    "Anyone can guess passwords at the desktop, or use a flaw of it, from anywhere.",
			Breaks:    "Whoever connects to the open port directly loses the way in.",
			Dashboard: "Security Center › Security Insights: open the insight, which names the host, and close its port for remote desktops there.",
		}
	default:
		return check.Count(len(is), "dangling record or exposed remote desktop", "dangling records or exposed remote desktops"), posture.Words{}
	}
}

// critical judges every other open issue that the provider rates critical.
func critical() check.Check {
	return check.Check{
		ID: "CFL-INSIGHT-001", Title: "No critical insight is open",
		Category: "security-insights", Severity: posture.Critical, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Cloudflare rates an insight as critical when what it found can be used from outside at once.",
		Fix: "Open the insight in Security Center and resolve what it names today.",
		Words: posture.Words{
			Problem:   "A critical Security Center insight is open for {name}",
			Impact:    "What the insight describes can be used by anyone who finds it, without credentials.",
			Breaks:    "Depends on the insight; its page in Security Center says what the change does.",
			Dashboard: "Security Center › Security Insights: filter by severity Critical and open each one.",
		},
		References: references(),
		Controls: check.Controls{
			check.Supports("cis 7.6", "Cloudflare scans, and nothing critical it found is open."),
			check.Supports("cis 7.7", "The worst weaknesses that were found are fixed."),
			check.Supports("soc2 CC7.1", "New weaknesses are detected and handled."),
			check.Supports("pci 6.3.1", "Critical weaknesses are identified and handled."),
			check.Supports("nist ID.RA-01", "Critical weaknesses are found and recorded."),
		},
		Aliases: []string{"flareinspect:CFL-INSIGHT-001"},
		Needs:   []snapshot.Named{snapshot.AccountInsights, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			all := issues(check.Read(v, snapshot.AccountInsights), snapshot.Insight.Open, not(exposed))
			open := issues(all, severity(severityCritical))
			switch {
			case len(open) > 0:
			case len(issues(all, odd)) > 0:
				return v.Unknown("an open issue has a severity this check does not know")
			default:
				return v.Pass("Cloudflare reports no open critical issue.")
			}
			j := v.Judge()
			for _, at := range byZone(v, open) {
				j.Fail(at.resource, fmt.Sprintf("Cloudflare reports %s: %s.", check.Count(len(at.issues), "open critical insight", ""),
					reported(at.issues)),
					rows(at.issues, "resolved")...)
			}
			return j.Done("", "")
		},
	}
}

func criticalExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "none is open", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a critical one", Want: posture.Fail, Resource: goodtest.Account,
			Edit: add(func(i *snapshot.Insight) { i.Severity = severityCritical })},
		{Name: "a critical one in a zone", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: add(func(i *snapshot.Insight) { i.Severity, i.ZoneID = severityCritical, goodtest.Zone })},
		{Name: "a moderate one", Want: posture.Pass, Edit: add(func(*snapshot.Insight) {})},
		{Name: "a severity nobody knows", Want: posture.Unknown, Edit: add(func(i *snapshot.Insight) { i.Severity = "" })},
		{Name: "a critical one beside a severity nobody knows", Want: posture.Fail, Edit: goodtest.Edits(
			add(func(i *snapshot.Insight) { i.Severity = "High" }), add(func(i *snapshot.Insight) { i.Severity = severityCritical }))},
		{Name: "a critical one of WordPress", Want: posture.Fail,
			Edit: add(func(i *snapshot.Insight) { i.Severity, i.Class = severityCritical, "Outdated_WordPress_Plugin" })},
		{Name: "an exposure belongs to another check", Want: posture.Pass,
			Edit: add(func(i *snapshot.Insight) { i.Severity, i.Class = severityCritical, "CNAME_Dangling" })},
		{Name: "dismissed", Want: posture.Pass, Edit: add(func(i *snapshot.Insight) { i.Severity, i.Dismissed = severityCritical, true })},
		{Name: "resolved", Want: posture.Pass, Edit: add(func(i *snapshot.Insight) { i.Severity, i.Status = severityCritical, "resolved" })},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: notEntitled},
	}
}
