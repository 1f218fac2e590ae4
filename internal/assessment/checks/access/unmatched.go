package access

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const organizationPath = "/accounts/{account_id}/access/organizations"

// unmatched judges what happens to a hostname without an application.
func unmatched() check.Check {
	return check.Check{
		ID: "CFL-ZT-029", Title: "Hostnames without an application are denied",
		Category: "access", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A hostname without an Access application answers everyone. Access protection for the account denies " +
			"such hostnames until somebody adds an application.",
		Fix: "List the zones of public sites as exempt, then turn on the block for hostnames without an application.",
		Words: posture.Words{
			Problem: "Hostnames without an application are open in this account",
			Impact:  "Anyone can use an internal service whose hostname was published before its Access application was made.",
			Breaks: "Every proxied hostname without an Access application is denied, public sites too, unless its zone is " +
				"exempt.",
			Dashboard: "Zero Trust › Access controls › Access settings › Block traffic to all domains in this account: On, then " +
				"Hostnames to Exempt.",
			Call: posture.Call{Method: "PUT", Path: organizationPath, From: organizationPath,
				Body: `.result | del(.created_at, .updated_at) | .deny_unmatched_requests = true`},
			Terraform: `resource "cloudflare_zero_trust_organization" "access" {
  account_id              = "{account_id}"
  deny_unmatched_requests = true
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/",
			"https://developers.cloudflare.com/cloudflare-one/access-controls/policies/"},
		Controls: check.Controls{
			check.Supports("cis 3.3", "A hostname that was forgotten is closed instead of open."),
			check.Touches("cis 6.4", "It closes what has no application; it asks nobody for a factor."),
			check.Supports("soc2 CC6.1", "The default for a hostname without a policy is to deny."),
			check.Supports("soc2 CC6.6", "The boundary has no gap where an application was not made yet."),
			check.Supports("pci 7.2.1", "What is not granted is denied."),
			check.Supports("nist PR.AA-05", "Least privilege holds by default."),
		},
		Needs:    []snapshot.Named{snapshot.AccessOrg, snapshot.AccessApps},
		Unless:   notInUse,
		Evaluate: evaluateUnmatched,
	}
}

func unmatchedExamples() []goodtest.Example {
	org := func(change func(*snapshot.AccessOrganization)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Edit(b, snapshot.AccessOrg, goodtest.Account, change) }
	}
	open := org(func(o *snapshot.AccessOrganization) { o.DenyUnmatched = false })
	exempt := org(func(o *snapshot.AccessOrganization) { o.ExemptedZones = []string{"public.example"} })
	serves := func(what string) func(*policy.Policy) { return func(p *policy.Policy) { p.AppsServe = what } }
	return []goodtest.Example{
		{Name: "denied", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "denied besides a public site", Want: posture.Pass, Edit: exempt,
			Policy: func(p *policy.Policy) { p.PublicHosts = []string{"Public.example."} }},
		{Name: "admitted where all is internal", Want: posture.Fail, Resource: goodtest.Account, Edit: open, Policy: serves("internal")},
		{Name: "admitted and nobody said what the account serves", Want: posture.Warning, Resource: goodtest.Account, Edit: open},
		{Name: "a zone is exempted that is on no list", Want: posture.Warning, Resource: goodtest.Account, Edit: exempt},
		{Name: "admitted where public sites are served", Want: posture.NotApplicable, Edit: open, Policy: serves("public")},
		{Name: "no self-hosted app", Want: posture.NotApplicable,
			Edit: goodtest.Edits(open, editApp(func(a *snapshot.AccessApp) { a.Type = "saas" }))},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateUnmatched(v *check.View) check.Outcome {
	if !slices.ContainsFunc(check.Read(v, snapshot.AccessApps), func(a snapshot.AccessApp) bool { return a.Type == "self_hosted" }) {
		return v.NotApplicable("no self-hosted application exists")
	}
	if v.Policy.AppsServe == "public" {
		return v.NotApplicable("the operator declared that the account also serves public sites")
	}
	org := check.Read(v, snapshot.AccessOrg)
	seen := check.Evidence(snapshot.AccessOrg, "/deny_unmatched_requests", "false", "true")
	switch {
	case !org.DenyUnmatched && v.Policy.AppsServe == "internal":
		return v.Fail("Hostnames without an application are open, although the account serves internal applications only.", seen)
	case !org.DenyUnmatched:
		return v.Warn("Hostnames without an application are open, and the operator has not declared whether that is intended.", seen)
	}
	var odd []string
	for _, zone := range org.ExemptedZones {
		if !slices.ContainsFunc(v.Policy.PublicHosts, func(p string) bool { return exposure.Same(p, zone) }) {
			odd = append(odd, zone)
		}
	}
	if len(odd) > 0 {
		return v.Warn("Access protection leaves out "+check.Count(len(odd), "zone", "")+" that publicHosts does not list: "+
			strings.Join(odd, ", ")+".",
			check.Evidence(snapshot.AccessOrg, "/deny_unmatched_requests_exempted_zone_names", strings.Join(odd, ", "), "zones of public sites")).
			As(posture.Words{Problem: "Zones of this account are exempt from Access protection",
				Breaks:    "Every hostname of these zones without an Access application is denied.",
				Dashboard: "Zero Trust › Access controls › Access settings › Hostnames to Exempt: remove the zones that hold no public site.",
				Call: posture.Call{Method: "PUT", Path: organizationPath, From: organizationPath,
					Body: `.result | del(.created_at, .updated_at) | .deny_unmatched_requests_exempted_zone_names = []`},
				Terraform: `resource "cloudflare_zero_trust_organization" "access" {
  account_id                                  = "{account_id}"
  deny_unmatched_requests                     = true
  deny_unmatched_requests_exempted_zone_names = []
}`})
	}
	return v.Pass("Hostnames without an application are denied.")
}
