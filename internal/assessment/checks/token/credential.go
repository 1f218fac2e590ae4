package token

import (
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// credential is the pre-flight check: it judges the token of the run.
func credential() check.Check {
	return check.Check{
		ID: "CFL-TOK-001", Title: "The credential of this run is valid and not about to expire",
		Category: "token", Severity: posture.Medium, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "This assessment reads the account with an API token. When the token ends, nothing is assessed any more.",
		Fix: "Create a new token with the same permissions and replace the one that is stored for the account, before it ends.",
		Words: posture.Words{
			Problem: "The API token that assesses this account is ending",
			Impact:  "New weaknesses of the account go unseen from that day on.",
			Breaks:  "Nothing; assessments go on with the new token.",
			Dashboard: "Manage Account › Account API Tokens, or My Profile › API Tokens for a token of a person: create a token " +
				"with the same permissions, then store it here under Settings › Accounts.",
		},
		References: []string{"https://developers.cloudflare.com/api/resources/user/subresources/tokens/subresources/permission_groups/",
			"https://developers.cloudflare.com/fundamentals/api/reference/permissions/"},
		Controls: check.Controls{
			check.Supports("cis 6.2", "The credential of the assessment has an end that somebody watches."),
			check.Touches("soc2 CC6.1", "It is about one credential that only reads."),
			check.Touches("pci 8.6.3", "One token says little about the rotation of all."),
			check.Supports("nist PR.AA-01", "The credential of the assessment is managed."),
		},
		Aliases:  []string{"flareinspect:CFL-TOK-001"},
		Needs:    []snapshot.Named{snapshot.UserTokenVerify, snapshot.AccountTokenVerify},
		Unread:   unverified,
		Evaluate: evaluateCredential,
	}
}

func credentialExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "200 days left", Want: posture.Pass},
		{Name: "no end date", Want: posture.Pass, Edit: answer(snapshot.TokenVerify{ID: goodtest.Token, Status: "active"})},
		{Name: "13 days left", Want: posture.Fail, Resource: goodtest.Token, Edit: ends(13)},
		{Name: "exactly 14 days left", Want: posture.Fail, Resource: goodtest.Token, Edit: ends(14)},
		{Name: "15 days left", Want: posture.Warning, Resource: goodtest.Token, Edit: ends(15)},
		{Name: "exactly 30 days left", Want: posture.Warning, Resource: goodtest.Token, Edit: ends(30)},
		{Name: "31 days left", Want: posture.Pass, Edit: ends(31)},
		{Name: "disabled", Want: posture.Fail, Resource: goodtest.Token,
			Edit: answer(snapshot.TokenVerify{ID: goodtest.Token, Status: "disabled"})},
		{Name: "expired", Want: posture.Fail, Resource: goodtest.Token,
			Edit: answer(snapshot.TokenVerify{ID: goodtest.Token, Status: "expired"})},
		{Name: "a status nobody knows", Want: posture.Unknown, Edit: answer(snapshot.TokenVerify{ID: goodtest.Token, Status: "odd"})},
		{Name: "the call that verifies fails", Want: posture.Warning, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.UserTokenVerify.Source(), snapshot.Failed, "", "Cloudflare answered 500")
		}},
		{Name: "a global API key", Want: posture.NotApplicable, Edit: skip(snapshot.UserTokenVerify, snapshot.AccountTokenVerify)},
		{Name: "an account-owned token answers at the account endpoint", Want: posture.Fail, Resource: goodtest.Token,
			Edit: goodtest.Edits(skip(snapshot.UserTokenVerify), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.AccountTokenVerify, goodtest.Account, snapshot.TokenVerify{ID: goodtest.Token, Status: "disabled"})
			})},
	}
}

func answer(t snapshot.TokenVerify) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.UserTokenVerify, snapshot.UserScope, t) }
}

func ends(days int) func(*snapshot.Builder) {
	return answer(snapshot.TokenVerify{ID: goodtest.Token, Status: "active", ExpiresOn: snapshot.At(goodtest.Now().AddDate(0, 0, days))})
}

// unverified warns: a failed call says nothing of the token, and a run without it would go unnoticed.
func unverified(v *check.View, reason string) check.Outcome {
	seen := check.Evidence(snapshot.UserTokenVerify, "/status", "not answered", "active")
	return v.Warn("The token of this run could not be verified: "+reason+".", seen).As(posture.Words{
		Problem: "The end of the API token of this account is unknown",
		Impact:  "When the token ends, new weaknesses of the account go unseen, and nothing warned of it.",
		Breaks:  "Nothing; it is looked up.",
		Dashboard: "Manage Account › Account API Tokens, or My Profile › API Tokens for a token of a person: look at its status and " +
			"its end, then assess again.",
	})
}

func evaluateCredential(v *check.View) check.Outcome {
	t, source, apiKey := verified(v)
	if apiKey {
		return v.NotApplicable("the run uses a global API key; that is judged by CFL-TOK-006")
	}
	if source == nil {
		return v.Unknown("neither verify call says anything about the token")
	}
	j, r := v.Judge(), resource(t.ID, "the token of this run")
	day := 24 * time.Hour
	left := t.ExpiresOn.Sub(v.Now())
	switch {
	case t.Status == "disabled" || t.Status == "expired":
		j.Fail(r, "The token of this run is "+t.Status+".", check.Evidence(source, "/status", t.Status, "active"))
		j.As(posture.Words{Problem: "The API token that assesses this account is " + t.Status,
			Impact: "New weaknesses of the account go unseen until the token is replaced."})
	case t.Status != "active":
		j.Unclear(r, "the token has a status this check does not know: "+t.Status)
	case t.ExpiresOn.IsZero() || left > time.Duration(v.Policy.TokenWarnDays)*day:
		j.Pass()
	default:
		message := fmt.Sprintf("The token of this run ends on %s.", check.Day(t.ExpiresOn))
		seen := check.Evidence(source, "/expires_on", t.ExpiresOn.Format(time.RFC3339), fmt.Sprintf("more than %d days ahead",
			v.Policy.TokenWarnDays))
		if left <= time.Duration(v.Policy.TokenFailDays)*day {
			j.Fail(r, message, seen)
		} else {
			j.Warn(r, message, seen)
		}
	}
	return j.Done("The token of this run is active and does not end soon.", "")
}
