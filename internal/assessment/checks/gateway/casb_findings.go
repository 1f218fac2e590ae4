package gateway

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// casbFindings reports open findings of connected applications.
func casbFindings() check.Check {
	return check.Check{
		ID: "CFL-CASB-001", Title: "No open serious finding in connected applications",
		Category: "casb", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "CASB reads the settings of connected cloud and SaaS applications. Files shared with everyone and " +
			"accounts that nobody uses are common ways to leak data.",
		Fix: "Open each finding, follow its remediation guide in the application, then check that the finding closes.",
		Words: posture.Words{
			Problem:   "CASB findings are open in applications of this account",
			Impact:    "Anyone with a link or an old account reads files and mail of the connected applications.",
			Breaks:    "People outside the organization lose access to files that were shared with everyone.",
			Dashboard: "Zero Trust › Cloud & SaaS findings › Posture Findings: sort by severity and open each one.",
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/integrations/cloud-and-saas/"},
		Controls: check.Controls{
			check.Supports("cis 3.13", "Files that are shared too widely are found in connected applications and closed."),
			check.Supports("soc2 CC6.7", "Data in connected applications is not open to the outside."),
			check.Supports("soc2 CC9.2", "Weaknesses at vendors' applications are followed up."),
			check.Touches("pci 12.5.1", "It looks into applications that are connected; it makes no inventory."),
			check.Shows("nist DE.CM-06", "Applications of outside providers are monitored, and what is found is handled."),
			check.Supports("nist GV.SC-07", "Risk in suppliers' services is tracked while they are used."),
		},
		Aliases:  []string{"flareinspect:CFL-CASB-001"},
		Needs:    []snapshot.Named{snapshot.CASBIntegrations, snapshot.CASBFindings},
		Unless:   check.Empty(snapshot.CASBIntegrations, "no application is connected"),
		Evaluate: evaluateCASBFindings,
	}
}

func casbFindingsExamples() []goodtest.Example {
	finding := func(change func(*snapshot.CASBFinding)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.CASBFindings, goodtest.Account, func(fs *[]snapshot.CASBFinding) { change(&(*fs)[0]) })
		}
	}
	severity := func(s string) func(*snapshot.Builder) {
		return finding(func(f *snapshot.CASBFinding) { f.Severity = s })
	}
	aged := func(days int) func(*snapshot.Builder) {
		return finding(func(f *snapshot.CASBFinding) {
			f.Severity, f.LatestAffliction = "Medium", snapshot.At(goodtest.Now().AddDate(0, 0, -days))
		})
	}
	return []goodtest.Example{
		{Name: "nothing serious", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a serious one that is ignored", Want: posture.Pass, Edit: goodtest.Edits(severity("High"),
			finding(func(f *snapshot.CASBFinding) { f.Ignored = true }))},
		{Name: "a serious one that is over", Want: posture.Pass, Edit: goodtest.Edits(severity("High"),
			finding(func(f *snapshot.CASBFinding) { f.Active = 0 }))},
		{Name: "exactly 90 days", Want: posture.Pass, Edit: aged(90)},
		{Name: "high", Want: posture.Fail, Resource: goodtest.Account, Edit: severity("High")},
		{Name: "critical in another spelling", Want: posture.Fail, Resource: goodtest.Account, Edit: severity("CRITICAL")},
		{Name: "medium for 91 days", Want: posture.Warning, Resource: goodtest.Account, Edit: aged(91)},
		{Name: "medium without a date", Want: posture.Unknown, Edit: finding(func(f *snapshot.CASBFinding) {
			f.Severity, f.LatestAffliction = "Medium", snapshot.Time{}
		})},
		{Name: "a severity nobody knows", Want: posture.Unknown, Resource: goodtest.Account, Edit: severity("Catastrophic")},
		{Name: "no integration", Want: posture.NotApplicable, Edit: noIntegration},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.CASBIntegrations.Source(),
				snapshot.NotEntitled, "", "")
		}},
	}
}

// noIntegration is an example edit: nothing is connected.
func noIntegration(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.CASBIntegrations, goodtest.Account, []snapshot.CASBIntegration{})
	b.Mark(snapshot.CASBFindings.Source(), snapshot.Skipped, "", "no application is connected")
}

func evaluateCASBFindings(v *check.View) check.Outcome {
	var serious, aging []posture.Evidence
	odd := ""
	for _, f := range check.Read(v, snapshot.CASBFindings) {
		if f.Active <= 0 || f.Ignored {
			continue
		}
		seen := check.Evidence(snapshot.CASBFindings, "/"+f.ID+"/severity", f.Severity+": "+f.Name, "none open")
		switch strings.ToLower(f.Severity) {
		case "critical", "high":
			serious = append(serious, seen)
		case "medium":
			switch {
			case f.LatestAffliction.IsZero():
				odd = "Cloudflare did not return the date of a finding of medium severity"
			case f.LatestAffliction.Before(v.Now().AddDate(0, 0, -v.Policy.CASBMediumDays)):
				aging = append(aging, seen)
			}
		case "low":
		default:
			odd = "Cloudflare returned a severity this check does not know"
		}
	}
	switch {
	case len(serious) > 0:
		return v.Fail("Open in connected applications: "+check.Count(len(serious), "CASB finding", "")+" of high or critical severity.",
			append(serious, aging...)...)
	case len(aging) > 0:
		return v.Warn("Open for more than "+check.Count(v.Policy.CASBMediumDays, "day", "")+" in connected applications: "+
			check.Count(len(aging), "CASB finding", "")+" of medium severity.", aging...).
			As(posture.Words{Problem: "Medium CASB findings of this account are overdue"})
	case odd != "":
		return v.Unknown(odd)
	}
	return v.Pass("No serious finding is open in connected applications.")
}
