package zerotrust

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// companyLogin looks for a login that is backed by the company's directory.
func companyLogin() check.Check {
	return check.Check{
		ID: "CFL-ZT-001", Title: "A company identity provider is connected",
		Category: "zerotrust", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A one-time PIN proves only that a person reads a mailbox. A company identity provider adds its own " +
			"second factor and ends the access of people who leave.",
		Fix: "Connect your identity provider, then choose it as the only login method of each application.",
		Words: posture.Words{
			Problem:   "No company identity provider is connected to this account",
			Impact:    "Someone who reads a person's mailbox, or who left the company and kept it, signs in to the applications.",
			Breaks:    "People have to sign in with the company's identity provider once the other login methods are removed.",
			Dashboard: "Zero Trust › Integrations › Identity providers › Add new identity provider.",
			Terraform: `resource "cloudflare_zero_trust_access_identity_provider" "company" {
  account_id = "{account_id}"
  name       = "Company login"
  type       = "oidc"
  config = {
    client_id     = var.client_id
    client_secret = var.client_secret
    auth_url      = var.auth_url
    token_url     = var.token_url
    certs_url     = var.certs_url
    pkce_enabled  = true
  }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/identity/"},
		Controls: check.Controls{
			check.Shows("cis 6.7", "Sign-on goes through the company's identity provider."),
			check.Supports("soc2 CC6.1", "Identity is decided at one place."),
			check.Supports("pci 8.3.1", "Users authenticate at the company's identity provider."),
			check.Shows("nist PR.AA-03", "Users authenticate at an identity provider that knows them."),
		},
		Aliases:  []string{"flareinspect:CFL-ZT-001", "grclanker:CF-IAM-05"},
		Needs:    []snapshot.Named{snapshot.AccessIDPs, snapshot.AccessApps, snapshot.AccessOrg},
		Evaluate: evaluateCompanyLogin,
	}
}

func companyLoginExamples() []goodtest.Example {
	kinds := func(types ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			idps := []snapshot.IdentityProvider{}
			for _, t := range types {
				idps = append(idps, snapshot.IdentityProvider{ID: "idp-" + t, Name: t, Type: t})
			}
			snapshot.Put(b, snapshot.AccessIDPs, goodtest.Account, idps)
		}
	}
	return []goodtest.Example{
		{Name: "a directory", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a directory besides a mailed code and a consumer login", Want: posture.Pass, Edit: kinds("onetimepin", "github", "okta")},
		{Name: "only a mailed code", Want: posture.Fail, Resource: goodtest.Account, Edit: kinds("onetimepin")},
		{Name: "only Cloudflare's own login", Want: posture.Fail, Resource: goodtest.Account, Edit: kinds("cloudflare")},
		{Name: "nothing", Want: posture.Fail, Resource: goodtest.Account, Edit: kinds()},
		{Name: "a consumer login", Want: posture.Warning, Resource: goodtest.Account, Edit: kinds("onetimepin", "google")},
		{Name: "no application", Want: posture.NotApplicable, Edit: goodtest.Edits(kinds("onetimepin"),
			editApps(func(as *[]snapshot.AccessApp) { *as = nil }))},
		{Name: "only a link", Want: posture.NotApplicable, Edit: goodtest.Edits(kinds("onetimepin"),
			editApps(func(as *[]snapshot.AccessApp) { *as = []snapshot.AccessApp{{ID: "b1", Name: "Wiki", Type: "bookmark"}} }))},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateCompanyLogin(v *check.View) check.Outcome {
	if v.StatusOf(snapshot.AccessOrg) == snapshot.Absent {
		return v.NotApplicable("Access is not in use")
	}
	if !slices.ContainsFunc(check.Read(v, snapshot.AccessApps), func(a snapshot.AccessApp) bool { return !a.Link() }) {
		return v.NotApplicable("no application asks for a login")
	}
	all := check.Read(v, snapshot.AccessIDPs)
	further := slices.DeleteFunc(slices.Clone(all), snapshot.IdentityProvider.Mailed)
	odd := slices.IndexFunc(further, func(p snapshot.IdentityProvider) bool { return !p.Consumer() && !p.Company() })
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.AccessIDPs, "", observed, "a company identity provider")
	}
	switch {
	case slices.ContainsFunc(further, snapshot.IdentityProvider.Company):
		return v.Pass("A company identity provider is connected.")
	case odd >= 0:
		return v.Unknown("an identity provider has a type this check does not know: " + further[odd].Type)
	case len(further) == 0:
		return v.Fail("People sign in to the applications with a one-time PIN only.", seen("no provider besides one-time PIN"))
	default:
		return v.Warn("People sign in to the applications with accounts of "+further[0].Type+", which anyone can open.", seen(further[0].Type)).
			As(posture.Words{Problem: "People sign in with consumer accounts in this account",
				Impact: "Anyone can open such an account, and someone who left the company keeps theirs."})
	}
}
