package token

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// expiry finds active tokens without an end date.
func expiry() check.Check {
	return check.Check{
		ID: "CFL-TOK-002", Title: "Active API tokens carry an expiry",
		Category: "token", Severity: posture.Medium, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "A token without end date stays usable long after its purpose is gone.",
		Fix: "Re-issue the token with an end date of at most one year.",
		References: []string{"https://developers.cloudflare.com/fundamentals/api/reference/permissions/",
			"https://developers.cloudflare.com/api/resources/user/subresources/tokens/subresources/permission_groups/"},
		Controls: posture.Controls{CIS: []string{"6.2"}, SOC2: []string{"CC6.1"}, PCI: []string{"8.6.3"}, NIST: []string{"PR.AA-01"}},
		Aliases:  []string{"cnspec:api-tokens-have-expiration", "flareinspect:CFL-ACC-002"},
		Needs:    []snapshot.Named{snapshot.AccountTokens, snapshot.UserTokens},
		Evaluate: evaluateExpiry,
	}
}

func expiryExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "every token ends", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a user token has no end", Want: posture.Fail, Resource: goodtest.Token,
			Edit: editUserTokens(func(t *snapshot.Token) { t.ExpiresOn = snapshot.Time{} })},
		{Name: "an account token has no end", Want: posture.Fail, Resource: "t2", Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountTokens, goodtest.Account, []snapshot.Token{{ID: "t2", Name: "deploy", Status: "active"}})
		}},
		{Name: "a disabled token is left out", Want: posture.NotApplicable,
			Edit: editUserTokens(func(t *snapshot.Token) { t.Status, t.ExpiresOn = "disabled", snapshot.Time{} })},
	}
}

func editUserTokens(change func(*snapshot.Token)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.UserTokens, snapshot.UserScope, func(ts *[]snapshot.Token) {
			for i := range *ts {
				change(&(*ts)[i])
			}
		})
	}
}

func evaluateExpiry(v *check.View) check.Outcome {
	j := v.Judge()
	eachActive(v, func(k snapshot.Named, t snapshot.Token) {
		if !t.ExpiresOn.IsZero() {
			j.Pass()
			return
		}
		j.Fail(resource(t.ID, t.Name), "The active token "+t.Name+" has no end date.", check.Evidence(k, "/"+t.ID+"/expires_on", "none",
			"a date"))
	})
	return j.Done("Every active token has an end date.", "there is no active token")
}
