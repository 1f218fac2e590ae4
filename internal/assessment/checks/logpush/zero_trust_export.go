package logpush

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// zeroTrustExport judges whether logs of sign-ins and browsing are exported.
func zeroTrustExport() check.Check {
	return check.Check{
		ID: "CFL-LOG-004", Title: "Zero Trust logs are exported",
		Category: "logpush", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Plans: []string{"enterprise"},
		Why: "Sign-ins, DNS queries and requests of Zero Trust are kept by Cloudflare for a limited time, then they are " +
			"gone.",
		Fix: "Create Logpush jobs for the Zero Trust data sets that you use, with a destination that you control.",
		Words: posture.Words{
			Problem:   "Zero Trust logs of this account are not exported",
			Impact:    "After an incident nobody can tell who signed in, from where, and what they opened.",
			Breaks:    "Nothing for users; storage at the destination costs money.",
			Dashboard: "Zero Trust › Logs › Logpush › Add a Logpush job.",
		},
		References: []string{"https://developers.cloudflare.com/logs/", "https://developers.cloudflare.com/cloudflare-one/"},
		Controls: check.Controls{
			check.Supports("cis 8.6", "DNS queries of users are exported."),
			check.Supports("cis 8.7", "Requested URLs of users are exported."),
			check.Shows("cis 8.9", "Zero Trust logs arrive in the central place."),
			check.Supports("soc2 CC7.2", "Access and traffic of users can be watched."),
			check.Supports("pci 10.2.1", "Logs of Zero Trust are kept, one component of many."),
			check.Supports("nist DE.CM-03", "What users do through Zero Trust is available to monitoring."),
		},
		Needs:    []snapshot.Named{snapshot.AccountLogpushJobs, snapshot.AccessOrg, snapshot.GatewayRules, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.GatewayListItems},
		Evaluate: evaluateZeroTrustExport,
	}
}

func zeroTrustExportExamples() []goodtest.Example {
	noOrg := func(b *snapshot.Builder) { b.Mark(snapshot.AccessOrg.Source(), snapshot.Absent, "", "") }
	noGateway := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.GatewayRules, goodtest.Account, []snapshot.GatewayRule{})
	}
	jobs := func(all ...snapshot.LogpushJob) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.AccountLogpushJobs, goodtest.Account, all) }
	}
	network := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.GatewayRules, goodtest.Account, []snapshot.GatewayRule{{ID: "n1", Enabled: true, Action: "block",
			Filters: []string{"l4"}}})
	}
	signIns, names, pages, flows := job(1, "access_requests"), job(2, "gateway_dns"), job(3, "gateway_http"), job(4, "gateway_network")
	only := func(filter string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.GatewayRules, goodtest.Account, func(rs *[]snapshot.GatewayRule) {
				for i, r := range *rs {
					(*rs)[i].Enabled = slices.Contains(r.Filters, filter)
				}
			})
		}
	}
	return []goodtest.Example{
		{Name: "only DNS rules need no log of pages", Want: posture.Pass, Edit: goodtest.Edits(only("dns"), jobs(signIns, names))},
		{Name: "only HTTP rules need no log of names", Want: posture.Pass, Edit: goodtest.Edits(only("http"), jobs(signIns, pages))},
		{Name: "only DNS rules, and pages are exported", Want: posture.Warning, Edit: goodtest.Edits(only("dns"), jobs(signIns, pages))},
		{Name: "no rule is on", Want: posture.Pass, Edit: goodtest.Edits(only("none"), jobs(signIns))},
		{Name: "all four", Want: posture.Pass, Resource: goodtest.Account, Edit: jobs(signIns, names, pages, flows)},
		{Name: "none", Want: posture.Fail, Resource: goodtest.Account, Edit: jobs(job(1, "audit_logs"))},
		{Name: "disabled jobs do not count", Want: posture.Fail, Edit: jobs(disabled(signIns), disabled(names))},
		{Name: "only sign-ins", Want: posture.Warning, Resource: goodtest.Account, Edit: jobs(signIns)},
		{Name: "no sign-ins", Want: posture.Warning, Edit: jobs(names, pages)},
		{Name: "Access alone needs no other", Want: posture.Pass, Edit: goodtest.Edits(noGateway, jobs(signIns))},
		{Name: "Gateway alone needs no sign-ins", Want: posture.Pass, Edit: goodtest.Edits(noOrg, jobs(names, pages, flows))},
		{Name: "Gateway alone without jobs", Want: posture.Fail, Edit: goodtest.Edits(noOrg, jobs())},
		{Name: "a filter leaves sign-ins out", Want: posture.Warning, Resource: goodtest.Account,
			Edit: jobs(filtered(signIns), names, pages, flows)},
		{Name: "a filter beside a job for all sign-ins", Want: posture.Pass,
			Edit: jobs(filtered(signIns), job(5, "access_requests"), names, pages, flows)},
		{Name: "a filter, and no log of pages", Want: posture.Warning, Edit: jobs(filtered(signIns), names)},
		{Name: "a hundredth of the sign-ins", Want: posture.Warning, Edit: jobs(sampled(signIns), names, pages, flows)},
		{Name: "network rules alone, and their log is not exported", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(noOrg, network, jobs(names, pages))},
		{Name: "network rules alone, and their log is exported", Want: posture.Pass,
			Edit: goodtest.Edits(noOrg, network, jobs(flows))},
		{Name: "neither is in use", Want: posture.NotApplicable, Edit: goodtest.Edits(noOrg, noGateway, jobs())},
		{Name: "a smaller plan", Want: posture.NotApplicable,
			Edit: goodtest.Edits(jobs(), goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "business" }))},
	}
}

func evaluateZeroTrustExport(v *check.View) check.Outcome {
	var due, missing, part []string
	if v.StatusOf(snapshot.AccessOrg) == snapshot.OK {
		due = append(due, "access_requests")
	}
	rules := check.GatewayRules(v)
	for _, of := range [][2]string{{"dns", "gateway_dns"}, {"http", "gateway_http"}, {"l4", "gateway_network"}} {
		if slices.ContainsFunc(rules, func(r admission.Rule) bool { return r.Enabled && slices.Contains(r.Filters, of[0]) }) {
			due = append(due, of[1])
		}
	}
	all := check.Read(v, snapshot.AccountLogpushJobs)
	for _, dataset := range due {
		switch whole, any := exports(all, dataset); {
		case !any:
			missing = append(missing, dataset)
		case !whole:
			part = append(part, dataset)
		}
	}
	seen := check.Evidence(snapshot.AccountLogpushJobs, "", "no working job for "+strings.Join(missing, ", "), "a working job for "+
		strings.Join(due, ", "))
	switch {
	case len(due) == 0:
		return v.NotApplicable("neither Access nor Gateway is in use")
	case len(missing) == len(due):
		return v.Fail("No job exports the Zero Trust logs of the account.", seen)
	case len(missing) > 0:
		return v.Warn("Some Zero Trust logs of the account are not exported: "+strings.Join(missing, ", ")+".", seen)
	}
	if len(part) > 0 {
		return v.Warn("Every job for these Zero Trust logs of the account leaves some out, by a filter or a sample: "+
			strings.Join(part, ", ")+".", check.Evidence(snapshot.AccountLogpushJobs, "", "only jobs with a filter or a sample for "+
			strings.Join(part, ", "), "one that exports all"))
	}
	return v.Pass("The Zero Trust logs are exported.")
}
