package access

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// saas finds SaaS applications whose login response can be intercepted.
func saas() check.Check {
	return check.Check{
		ID: "CFL-ZT-034", Title: "SaaS sign-ins go back over HTTPS and by code",
		Category: "access", Severity: posture.Medium, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "After a sign-in, Access sends an assertion or a code to an address of the application. An address without HTTPS, or a grant " +
			"that puts tokens into the address, gives them away.",
		Fix: "Use https:// for every redirect or consumer service URL, and the authorization code grant with PKCE.",
		Words: posture.Words{
			Problem: "Sign-ins of {name} go back over plain HTTP",
			Impact: "Someone in the same network as a person reads the assertion or code on its way and signs in to the application as " +
				"that person.",
			Breaks:    "The application has to accept sign-ins at the new address or by code first.",
			Dashboard: inApplications + " › {name} › Edit: use https:// in the redirect or consumer service URL, and no Implicit or Hybrid grant.",
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/saas-apps/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Assertions travel encrypted."),
			check.Supports("soc2 CC6.7", "What proves a sign-in is protected on its way."),
			check.Supports("nist PR.AA-04", "Assertions of identity are protected."),
		},
		Needs:    []snapshot.Named{snapshot.AccessOrg, snapshot.AccessApps},
		Unless:   notInUse,
		Evaluate: evaluateSaaS,
	}
}

func saasGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
		crm := (*as)[0]
		crm.ID, crm.Name, crm.Type, crm.Domain, crm.Domains = "crm", "CRM", "saas", "", nil
		crm.SaaS = &snapshot.AccessSaaS{Auth: "oidc", Grants: []string{"authorization_code_with_pkce"},
			Returns: []string{"https://crm.example/callback"}}
		*as = append(*as, crm)
	})
}

func saasExamples() []goodtest.Example {
	set := func(s *snapshot.AccessSaaS) func(*snapshot.Builder) {
		return editApp(func(a *snapshot.AccessApp) {
			if a.ID == "crm" {
				a.SaaS = s
			}
		})
	}
	back := func(addresses ...string) func(*snapshot.Builder) {
		return set(&snapshot.AccessSaaS{Auth: "oidc", Grants: []string{"authorization_code"}, Returns: addresses})
	}
	grant := func(grants ...string) func(*snapshot.Builder) {
		return set(&snapshot.AccessSaaS{Auth: "oidc", Grants: grants, Returns: []string{"https://crm.example/callback"}})
	}
	return []goodtest.Example{
		{Name: "by code over HTTPS", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "SAML over HTTPS", Want: posture.Pass,
			Edit: set(&snapshot.AccessSaaS{Auth: "saml", Returns: []string{"https://crm.example/acs"}})},
		{Name: "a program on the same device", Want: posture.Pass,
			Edit: back("http://localhost:8080/cb", "http://127.0.0.1/cb", "http://[::1]/cb")},
		{Name: "an app of a phone", Want: posture.Pass, Edit: back("com.example.app:/callback")},
		{Name: "SAML in the clear", Want: posture.Fail, Resource: "crm",
			Edit: set(&snapshot.AccessSaaS{Auth: "saml", Returns: []string{"http://crm.example/acs"}})},
		{Name: "one address of two in the clear, in capitals", Want: posture.Fail, Resource: "crm",
			Edit: back("https://crm.example/cb", "HTTP://crm.example/cb")},
		{Name: "a name that only looks local", Want: posture.Fail, Resource: "crm", Edit: back("http://localhost.crm.example/cb")},
		{Name: "tokens in the address", Want: posture.Warning, Resource: "crm", Edit: grant("authorization_code", "implicit")},
		{Name: "tokens in the address beside a code", Want: posture.Warning, Resource: "crm", Edit: grant("hybrid")},
		{Name: "no address is told", Want: posture.Unknown, Resource: "crm", Edit: back()},
		{Name: "nothing is told", Want: posture.Unknown, Resource: "crm", Edit: set(nil)},
		{Name: "an address nobody can read", Want: posture.Unknown, Resource: "crm", Edit: back("https://[crm/cb")},
		{Name: "an address without a scheme", Want: posture.Unknown, Resource: "crm", Edit: back("crm.example/cb")},
		{Name: "no SaaS application", Want: posture.NotApplicable, Edit: editApp(func(a *snapshot.AccessApp) { a.Type = "self_hosted" })},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateSaaS(v *check.View) check.Outcome {
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		if a.Type != "saas" {
			continue
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		if a.SaaS == nil || len(a.SaaS.Returns) == 0 {
			j.Unclear(r, "Cloudflare did not return where a sign-in goes back to")
			continue
		}
		plain, odd := inTheClear(a.SaaS.Returns)
		implicit := slices.ContainsFunc(a.SaaS.Grants, func(g string) bool { return g == "implicit" || g == "hybrid" })
		switch {
		case plain != "":
			j.Fail(r, "Sign-ins of "+a.Name+" go back to "+plain+" over plain HTTP.",
				check.Evidence(snapshot.AccessApps, "/"+a.ID+"/saas_app", plain, "https://"))
		case odd:
			j.Unclear(r, "an address of the application is not one this check can read")
		case implicit:
			j.Warn(r, "The application "+a.Name+" may take tokens in the address of the browser.",
				check.Evidence(snapshot.AccessApps, "/"+a.ID+"/saas_app/grant_types", strings.Join(a.SaaS.Grants, ", "),
					"authorization_code_with_pkce"))
			j.As(posture.Words{Problem: "{name} may take tokens in the browser's address",
				Impact: "Tokens stay in the history of the browser and in logs, where someone with access to these reads and uses them."})
			j.Rated(posture.Low)
		default:
			j.Pass()
		}
	}
	return j.Done("Sign-ins of SaaS applications go back over HTTPS and by code.", "no SaaS application signs in by Access")
}

// inTheClear finds an unencrypted address on another machine.
func inTheClear(addresses []string) (plain string, odd bool) {
	for _, text := range addresses {
		u, err := url.Parse(text)
		if err != nil || u.Scheme == "" {
			odd = true
			continue
		}
		host := strings.ToLower(u.Hostname())
		a, err := netip.ParseAddr(host)
		local := host == "localhost" || err == nil && a.IsLoopback()
		if strings.EqualFold(u.Scheme, "http") && !local {
			return text, odd
		}
	}
	return "", odd
}
