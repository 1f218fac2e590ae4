package token

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// expiry finds active tokens without an expiry date.
func expiry() check.Check {
	return check.Check{
		ID: "CFL-TOK-002", Title: "Active API tokens carry an expiry",
		Category: "token", Severity: posture.Medium, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "A token without an end stays valid long after the job, the tool and the person are gone.",
		Fix: "Set an expiry of at most one year, and roll the token before it.",
		Words: posture.Words{
			Problem: "API token {name} of this account has no near expiry",
			Impact:  "Someone who finds the token years from now can still use it.",
			Breaks:  "What uses the token fails on that day unless it gets a new one before.",
			Dashboard: "Manage Account › Account API Tokens, or My Profile › API Tokens for a token of a person: {name} › Edit › " +
				"TTL: set an end date.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/api/reference/permissions/",
			"https://developers.cloudflare.com/api/resources/user/subresources/tokens/subresources/permission_groups/"},
		Controls: check.Controls{
			check.Shows("cis 6.2", "Each token ends by itself, so that access is revoked in time."),
			check.Supports("soc2 CC6.1", "A lost token does not open the account for ever."),
			check.Supports("pci 8.6.3", "An expiry forces rotation; whether the interval follows risk is for people to say."),
			check.Supports("nist PR.AA-01", "The life of each token has an end."),
		},
		Aliases:  []string{"cnspec:api-tokens-have-expiration", "flareinspect:CFL-ACC-002"},
		Needs:    []snapshot.Named{snapshot.AccountTokens, snapshot.UserTokens},
		Evaluate: evaluateExpiry,
	}
}

func expiryExamples() []goodtest.Example {
	ends := func(days int) func(*snapshot.Builder) {
		return editUserTokens(func(t *snapshot.Token) { t.ExpiresOn = goodtest.InDays(days) })
	}
	return []goodtest.Example{
		statusUntold(),
		{Name: "every token ends", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a user token has no end", Want: posture.Fail, Resource: goodtest.Token,
			Edit: editUserTokens(func(t *snapshot.Token) { t.ExpiresOn = snapshot.Time{} })},
		{Name: "an account token has no end", Want: posture.Fail, Resource: "t2", Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountTokens, goodtest.Account, []snapshot.Token{{ID: "t2", Name: "deploy", Status: "active"}})
		}},
		{Name: "a token ends in a year", Want: posture.Pass, Edit: ends(365)},
		{Name: "a token ends in ten years", Want: posture.Warning, Resource: goodtest.Token, Edit: ends(3650)},
		{Name: "a disabled token is left out", Want: posture.NotApplicable,
			Edit: editUserTokens(func(t *snapshot.Token) { t.Status, t.ExpiresOn = "disabled", snapshot.Time{} })},
	}
}

func editUserTokens(change func(*snapshot.Token)) func(*snapshot.Builder) {
	return goodtest.Each(snapshot.UserTokens, snapshot.UserScope, change)
}

func evaluateExpiry(v *check.View) check.Outcome {
	j := v.Judge()
	eachActive(v, j, func(k snapshot.Named, t snapshot.Token) {
		switch limit := v.Now().AddDate(0, 0, v.Policy.TokenAgeFailDays); {
		case t.ExpiresOn.After(limit):
			day := check.Day(t.ExpiresOn)
			j.Warn(resource(t.ID, t.Name), "The active token "+t.Name+" ends only on "+day+".", check.Evidence(k, "/"+t.ID+"/expires_on", day,
				"by "+check.Day(limit)))
			return
		case !t.ExpiresOn.IsZero():
			j.Pass()
			return
		}
		j.Fail(resource(t.ID, t.Name), "The active token "+t.Name+" has no end date.", check.Evidence(k, "/"+t.ID+"/expires_on", "none",
			"a date"))
	})
	return j.Done("Every active token has an end date.", "there is no active token")
}
