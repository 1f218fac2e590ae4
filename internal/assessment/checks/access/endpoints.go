package access

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// endpoints finds identity providers that are reached over plain HTTP.
func endpoints() check.Check {
	return check.Check{
		ID: "CFL-ZT-030", Title: "Identity providers are reached over HTTPS",
		Category: "access", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Access sends people to the identity provider and fetches its keys and tokens from there. Over plain HTTP anyone on the way " +
			"can change both.",
		Fix: "Replace every address of the identity provider that begins with http:// by one that begins with https://.",
		Words: posture.Words{
			Problem: "Access reaches an identity provider of this account without encryption",
			Impact: "Someone in the network of a person or of the identity provider reads the sign-in or answers with keys of their own, " +
				"and signs in as anyone.",
			Breaks:    "Sign-ins fail if the identity provider does not answer over HTTPS.",
			Dashboard: "Zero Trust › Integrations › Identity providers › Edit: use https:// in every address.",
			Terraform: `resource "cloudflare_zero_trust_access_identity_provider" "company" {
  account_id = "{account_id}"
  name       = "Company login"
  type       = "oidc"
  config = {
    client_id = var.client_id
    auth_url  = var.auth_url
    token_url = var.token_url
    certs_url = var.certs_url
  }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/integrations/identity-providers/generic-oidc/",
			"https://developers.cloudflare.com/cloudflare-one/integrations/identity-providers/generic-saml/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Credentials and assertions travel encrypted."),
			check.Supports("soc2 CC6.1", "What says who someone is cannot be changed on the way."),
			check.Supports("pci 8.3.2", "Authentication factors are encrypted on the way to the identity provider."),
			check.Supports("nist PR.AA-04", "Assertions of identity are protected."),
		},
		Needs:    []snapshot.Named{snapshot.AccessOrg, snapshot.AccessIDPs},
		Unless:   notInUse,
		Evaluate: evaluateEndpoints,
	}
}

func endpointsGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.AccessIDPs, goodtest.Account, func(ps *[]snapshot.IdentityProvider) {
		on := true
		*ps = append(*ps, snapshot.IdentityProvider{ID: "partner", Name: "Partners", Type: "saml", SignRequest: &on, SCIM: &on,
			UserDeprovision: &on, Endpoints: 1})
	})
}

func endpointsExamples() []goodtest.Example {
	partner := func(change func(*snapshot.IdentityProvider)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessIDPs, goodtest.Account, func(ps *[]snapshot.IdentityProvider) { change(&(*ps)[1]) })
		}
	}
	plain := func(kind string, members ...string) func(*snapshot.Builder) {
		return partner(func(p *snapshot.IdentityProvider) { p.Type, p.Endpoints, p.Plain = kind, 3, members })
	}
	return []goodtest.Example{
		{Name: "over HTTPS", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "three addresses over HTTPS", Want: posture.Pass, Edit: plain("oidc")},
		{Name: "the keys in the clear", Want: posture.Fail, Resource: goodtest.Account, Edit: plain("oidc", "certs_url")},
		{Name: "the tokens in the clear", Want: posture.Fail, Edit: plain("oidc", "token_url")},
		{Name: "the sign-in page in the clear", Want: posture.Fail, Edit: plain("saml", "sso_target_url")},
		{Name: "two in the clear", Want: posture.Fail, Edit: plain("oidc", "auth_url", "certs_url")},
		{Name: "no address is told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: partner(func(p *snapshot.IdentityProvider) { p.Endpoints = 0 })},
		{Name: "providers whose addresses Cloudflare knows", Want: posture.NotApplicable, Edit: goodtest.Logins("azureAD", "onetimepin")},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateEndpoints(v *check.View) check.Outcome {
	var found []posture.Evidence
	judged, unreported := 0, ""
	for _, p := range check.Read(v, snapshot.AccessIDPs) {
		if p.Type != "oidc" && p.Type != "saml" {
			continue
		}
		judged++
		if p.Endpoints == 0 {
			unreported = p.Name
		}
		if len(p.Plain) > 0 {
			found = append(found, check.Evidence(snapshot.AccessIDPs, "/"+p.ID+"/config", p.Name+": http:// in "+strings.Join(p.Plain, ", "),
				"https://"))
		}
	}
	switch {
	case judged == 0:
		return v.NotApplicable("no identity provider has addresses of its own")
	case len(found) > 0:
		return v.Fail("Access reaches "+check.Count(len(found), "identity provider", "")+" over plain HTTP.", found...)
	case unreported != "":
		return v.Unknown("Cloudflare did not return the addresses of the identity provider " + unreported)
	}
	return v.Pass("Every identity provider is reached over HTTPS.")
}
