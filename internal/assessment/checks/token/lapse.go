package token

import (
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// lapse finds tokens other than that of the run that expire soon.
func lapse() check.Check {
	return check.Check{
		ID: "CFL-TOK-011", Title: "No active token is about to lapse unnoticed",
		Category: "token", Severity: posture.Low, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "A token that ends unnoticed stops what it runs, and the hurried successor often gets too many rights.",
		Fix: "Renew the token with the same permissions, or delete it when nothing uses it.",
		Words: posture.Words{
			Problem: "API token {name} of this account ends soon or has ended",
			Impact:  "Automation stops on that day, such as certificate or DNS updates.",
			Breaks:  "Nothing; a renewed token keeps its value.",
			Dashboard: "Manage Account › Account API Tokens, or My Profile › API Tokens for a token of a person: {name} › Edit › " +
				"TTL.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/api/reference/permissions/",
			"https://developers.cloudflare.com/api/resources/user/subresources/tokens/subresources/permission_groups/"},
		Controls: check.Controls{
			check.Touches("cis 5.1", "It is about tokens, while this control lists accounts."),
			check.Supports("cis 6.2", "The end of a token is planned and does not come by surprise."),
			check.Supports("soc2 CC6.2", "A credential that is still needed is issued again in an orderly way."),
			check.Supports("pci 8.6.3", "Rotation happens before the end."),
			check.Supports("nist PR.AA-01", "Tokens are managed up to their end."),
		},
		Needs:    []snapshot.Named{snapshot.AccountTokens, snapshot.UserTokens, snapshot.UserTokenVerify, snapshot.AccountTokenVerify},
		Evaluate: evaluateLapse,
	}
}

func lapseExamples() []goodtest.Example {
	until := func(days int) func(*snapshot.Builder) {
		return addWriter(func(t *snapshot.Token) { t.ExpiresOn = goodtest.InDays(days) })
	}
	return []goodtest.Example{
		statusUntold(),
		{Name: "only the token of the run", Want: posture.NotApplicable},
		{Name: "200 days left", Want: posture.Pass, Resource: goodtest.Account, Edit: addWriter(nil)},
		{Name: "no end date", Want: posture.Pass, Edit: addWriter(func(t *snapshot.Token) { t.ExpiresOn = snapshot.Time{} })},
		{Name: "15 days left", Want: posture.Pass, Edit: until(15)},
		{Name: "exactly 14 days left", Want: posture.Warning, Resource: "t2", Edit: until(14)},
		{Name: "over and still active", Want: posture.Fail, Resource: "t2", Edit: until(-1)},
		{Name: "the token of the run is left out", Want: posture.NotApplicable,
			Edit: editUserTokens(func(t *snapshot.Token) { t.ExpiresOn = goodtest.InDays(3) })},
		{Name: "the run uses a global API key", Want: posture.Warning, Resource: "t2",
			Edit: goodtest.Edits(skip(snapshot.UserTokenVerify, snapshot.AccountTokenVerify), until(3))},
	}
}

func evaluateLapse(v *check.View) check.Outcome {
	own, source, apiKey := verified(v)
	if source == nil && !apiKey {
		return v.Unknown("neither verify call says which token is that of the run")
	}
	j := v.Judge()
	eachActive(v, j, func(k snapshot.Named, t snapshot.Token) {
		if t.ID == own.ID {
			return
		}
		r, date := resource(t.ID, t.Name), check.Day(t.ExpiresOn)
		seen := check.Evidence(k, "/"+t.ID+"/expires_on", t.ExpiresOn.Format(time.RFC3339), fmt.Sprintf("more than %d days ahead",
			v.Policy.TokenFailDays))
		left := t.ExpiresOn.Sub(v.Now())
		switch {
		case t.ExpiresOn.IsZero():
			j.Pass() // judged by CFL-TOK-002
		case left <= 0:
			j.Fail(r, "The token "+t.Name+" is active although it ended on "+date+".", seen)
		case left <= time.Duration(v.Policy.TokenFailDays)*24*time.Hour:
			j.Warn(r, "The token "+t.Name+" ends on "+date+".", seen)
		default:
			j.Pass()
		}
	})
	return j.Done("No other active token is about to end.", "there is no active token besides that of the run")
}
