package token

import (
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// age finds active tokens that have not been rotated for a long time.
func age() check.Check {
	return check.Check{
		ID: "CFL-TOK-008", Title: "No active token is older than a year",
		Category: "token", Severity: posture.Medium, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "A token that was copied somewhere years ago still works. Rolling it once a year ends what nobody remembers.",
		Fix: "Roll the token and give the new value to everything that uses it.",
		Words: posture.Words{
			Problem:   "API token {name} of this account is older than advised",
			Impact:    "Someone who found the token in an old log, repository or laptop can use it today.",
			Breaks:    "Everything that uses the old value stops until it has the new one.",
			Dashboard: "Manage Account › Account API Tokens, or My Profile › API Tokens for a token of a person: {name} › Roll.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/api/reference/permissions/"},
		Controls: check.Controls{
			check.Supports("cis 6.2", "Tokens are renewed, so old grants end."),
			check.Touches("soc2 CC6.1", "It limits the age of a credential, not what it opens."),
			check.Shows("pci 8.6.3", "Tokens are changed at least once a year."),
			check.Supports("nist PR.AA-01", "The life of tokens is managed."),
		},
		Aliases:  []string{"cnspec:api-tokens-not-older-than-365d"},
		Needs:    []snapshot.Named{snapshot.AccountTokens, snapshot.UserTokens},
		Evaluate: evaluateAge,
	}
}

func ageExamples() []goodtest.Example {
	issued := func(days int) func(*snapshot.Builder) {
		return editUserTokens(func(t *snapshot.Token) { t.IssuedOn = goodtest.InDays(-days) })
	}
	return []goodtest.Example{
		statusUntold(),
		{Name: "a young token", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "exactly 300 days", Want: posture.Pass, Edit: issued(300)},
		{Name: "301 days", Want: posture.Warning, Resource: goodtest.Token, Edit: issued(301)},
		{Name: "exactly 365 days", Want: posture.Warning, Resource: goodtest.Token, Edit: issued(365)},
		{Name: "366 days", Want: posture.Fail, Resource: goodtest.Token, Edit: issued(366)},
		{Name: "the date is not told", Want: posture.Unknown, Resource: goodtest.Token,
			Edit: editUserTokens(func(t *snapshot.Token) { t.IssuedOn = snapshot.Time{} })},
		{Name: "no active token", Want: posture.NotApplicable, Edit: goodtest.Edits(issued(900), allOff())},
	}
}

func evaluateAge(v *check.View) check.Outcome {
	j := v.Judge()
	eachActive(v, j, func(k snapshot.Named, t snapshot.Token) {
		r := resource(t.ID, t.Name)
		message := "The active token " + t.Name + " was issued on " + check.Day(t.IssuedOn) + "."
		seen := check.Evidence(k, "/"+t.ID+"/issued_on", t.IssuedOn.Format(time.RFC3339),
			fmt.Sprintf("within %d days", v.Policy.TokenAgeWarnDays))
		switch {
		case t.IssuedOn.IsZero():
			j.Unclear(r, "Cloudflare does not tell when the token was issued")
		case older(v, t.IssuedOn, v.Policy.TokenAgeFailDays):
			j.Fail(r, message, seen)
		case older(v, t.IssuedOn, v.Policy.TokenAgeWarnDays):
			j.Warn(r, message, seen)
		default:
			j.Pass()
		}
	})
	return j.Done("No active token is near the age of a year.", "there is no active token")
}
