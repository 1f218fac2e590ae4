package account

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// connectors judges whether SSO connectors are active. Only a verified connector can be enabled, so
// one that is still being verified is always off; Cloudflare looks for its record for two days
// (developers.cloudflare.com/fundamentals/manage-members/dashboard-sso/).
func connectors() check.Check {
	return check.Check{
		ID: "CFL-ACC-006", Title: "Dashboard single sign-on connectors are verified and enabled",
		Category: "account", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Sign-in through your identity provider holds for a domain once it is verified and the connector is enabled. " +
			"Until then passwords work.",
		Fix: "Publish the TXT record with the code of the connector, wait for its verification, then enable the connector, or delete it.",
		Words: posture.Words{
			Problem:   "Dashboard SSO of this account is not in force",
			Impact:    "A stolen Cloudflare password still opens the dashboard, although everyone believes that SSO is demanded.",
			Breaks:    "Members of the domain can only sign in through the identity provider from then on.",
			Dashboard: "Manage Account › Members › Settings › SSO connectors › the connector: Begin verification, then Enable.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/manage-members/dashboard-sso/"},
		Controls: check.Controls{
			check.Shows("cis 6.7", "The dashboard takes its sign-on from the company's identity provider."),
			check.Supports("soc2 CC6.1", "A login to the dashboard is decided where all other logins are."),
			check.Supports("pci 8.3.1", "Members authenticate at the identity provider before they administer the account."),
			check.Supports("nist PR.AA-03", "The identity provider authenticates the members of the account."),
		},
		Needs:    []snapshot.Named{snapshot.AccountSSOConnectors},
		Unless:   check.Empty(snapshot.AccountSSOConnectors, "the account has no SSO connector; CFL-ACC-001 judges two-factor login"),
		Evaluate: evaluateConnectors,
	}
}

func connectorsExamples() []goodtest.Example {
	second := func(enabled bool, verification string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountSSOConnectors, goodtest.Account, []snapshot.SSOConnector{
				{ID: "s1", EmailDomain: "shop.example", Enabled: true, Verification: "verified"},
				{ID: "s2", EmailDomain: "agency.example", Enabled: enabled, Verification: verification}})
		}
	}
	return []goodtest.Example{
		{Name: "no connector", Want: posture.NotApplicable},
		{Name: "in force", Want: posture.Pass, Resource: goodtest.Account, Edit: connector("shop.example", true, "verified")},
		{Name: "disabled", Want: posture.Fail, Resource: goodtest.Account, Edit: connector("shop.example", false, "verified")},
		{Name: "the verification is under way", Want: posture.Warning, Resource: goodtest.Account,
			Edit: connector("shop.example", false, "pending")},
		{Name: "the verification ended without the record", Want: posture.Fail, Edit: connector("shop.example", false, "failed")},
		{Name: "the verification is put off", Want: posture.Fail, Edit: connector("shop.example", false, "awaiting")},
		{Name: "one is being verified and another is disabled", Want: posture.Fail, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountSSOConnectors, goodtest.Account, []snapshot.SSOConnector{
				{ID: "s1", EmailDomain: "shop.example", Verification: "verified"},
				{ID: "s2", EmailDomain: "agency.example", Verification: "pending"}})
		}},
		{Name: "disabled, with a status nobody knows", Want: posture.Unknown, Edit: connector("shop.example", false, "odd")},
		{Name: "the verification failed", Want: posture.Fail, Edit: second(true, "failed")},
		{Name: "the verification was never started", Want: posture.Fail, Edit: second(true, "awaiting")},
		{Name: "the verification is under way again", Want: posture.Warning, Resource: goodtest.Account, Edit: second(true, "pending")},
		{Name: "a status nobody knows", Want: posture.Unknown, Edit: second(true, "odd")},
	}
}

func evaluateConnectors(v *check.View) check.Outcome {
	var wrong, doubtful check.Found
	odd := ""
	for _, c := range check.Read(v, snapshot.AccountSSOConnectors) {
		status := check.Evidence(snapshot.AccountSSOConnectors, "/"+c.ID+"/verification", c.Verification, "verified")
		switch {
		case c.Verification == "failed" || c.Verification == "awaiting":
			wrong.Add(c.EmailDomain+" is not verified", status)
		case c.Verification == "pending":
			doubtful.Add(c.EmailDomain, status)
		case c.Verification != "verified":
			odd = c.EmailDomain
		case !c.Enabled:
			wrong.Add(c.EmailDomain+" is disabled", check.Evidence(snapshot.AccountSSOConnectors, "/"+c.ID+"/enabled", "false", "true"))
		}
	}
	switch {
	case len(wrong.Names) > 0:
		return v.Fail("An SSO connector is not in force: "+strings.Join(wrong.Names, "; ")+".", wrong.Rows...)
	case len(doubtful.Names) > 0:
		return v.Warn("The verification of an SSO connector is not finished: "+doubtful.String()+".", doubtful.Rows...).
			As(posture.Words{Problem: "Dashboard SSO of this account waits for a verification",
				Impact: "A stolen Cloudflare password opens the dashboard until the domain is verified and the connector is enabled."})
	case odd != "":
		return v.Unknown("the connector of " + odd + " has a verification status this check does not know")
	}
	return v.Pass("Every SSO connector is verified and enabled.")
}
