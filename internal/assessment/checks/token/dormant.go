package token

import (
	"fmt"
	"maps"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// dormant finds active tokens that have not been used for a long time.
func dormant() check.Check {
	return check.Check{
		ID: "CFL-TOK-003", Title: "No dormant API token",
		Category: "token", Severity: posture.Medium, Worst: posture.High, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "A token that nobody uses is not missed when it leaks, and is rarely looked at.",
		Fix: "Disable the token, wait a week, and delete it when nothing has failed.",
		Words: posture.Words{
			Problem:   "API token {name} of this account is not used",
			Impact:    "Someone who finds the token has its rights, and no one notices.",
			Breaks:    "A job that runs rarely, such as once a year, fails until the token is enabled again.",
			Dashboard: "Manage Account › Account API Tokens, or My Profile › API Tokens for a token of a person: {name} › Disable.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/api/reference/permissions/"},
		Controls: check.Controls{
			check.Supports("cis 5.3", "Tokens nobody uses are found."),
			check.Supports("soc2 CC6.3", "Access that is not needed any more is removed."),
			check.Supports("pci 8.2.6", "Tokens without use are removed; accounts of people are not seen."),
			check.Supports("nist PR.AA-05", "Permissions nobody uses are withdrawn."),
		},
		Remedy: &propose.Remedy{Operation: "PUT /accounts/{account_id}/tokens/{token_id}", Risk: "medium", Reversible: true,
			Body:    "the token as read (name, policies, condition, expires_on) with status disabled",
			Inverse: "PUT the captured object with status active",
			Caution: "Whatever still uses the token is refused. It is disabled, not deleted, so it can be enabled again.",
			Propose: proposeDisabling},
		Needs:    []snapshot.Named{snapshot.AccountTokens, snapshot.UserTokens},
		Evaluate: evaluateDormant,
	}
}

func dormantExamples() []goodtest.Example {
	return []goodtest.Example{
		statusUntold(),
		{Name: "every token is in use", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "issued long ago, and not valid yet", Want: posture.Pass, Edit: addWriter(func(t *snapshot.Token) {
			t.IssuedOn, t.LastUsedOn, t.NotBefore = goodtest.InDays(-200), snapshot.Time{}, goodtest.InDays(10)
		})},
		{Name: "issued long ago, and valid since lately", Want: posture.Pass, Edit: addWriter(func(t *snapshot.Token) {
			t.IssuedOn, t.LastUsedOn, t.NotBefore = goodtest.InDays(-200), snapshot.Time{}, goodtest.InDays(-10)
		})},
		{Name: "used 91 days ago", Want: posture.Fail, Resource: goodtest.Token,
			Edit: editUserTokens(func(t *snapshot.Token) { t.LastUsedOn = goodtest.InDays(-91) })},
		{Name: "unused, and DNS of every zone", Want: posture.Fail, Resource: "t2", Severity: posture.High,
			Edit: addWriter(func(t *snapshot.Token) {
				t.LastUsedOn, t.Policies[0].Resources = goodtest.InDays(-120), []string{zoneKey + "*"}
			})},
		{Name: "unused, and provisions members", Want: posture.Fail, Severity: posture.High, Edit: addWriter(func(t *snapshot.Token) {
			t.LastUsedOn, t.Policies[0].Groups = goodtest.InDays(-120), []string{"SCIM Provisioning"}
		})},
		{Name: "unused, and DNS of one zone", Want: posture.Fail, Severity: posture.Medium,
			Edit: addWriter(func(t *snapshot.Token) { t.LastUsedOn = goodtest.InDays(-120) })},
		{Name: "used exactly 90 days ago", Want: posture.Pass,
			Edit: editUserTokens(func(t *snapshot.Token) { t.LastUsedOn = goodtest.InDays(-90) })},
		{Name: "an old token in use", Want: posture.Pass, Edit: editUserTokens(func(t *snapshot.Token) { t.IssuedOn = goodtest.InDays(-400) })},
		{Name: "issued long ago and never used", Want: posture.Fail, Resource: "t2",
			Edit: addWriter(func(t *snapshot.Token) { t.IssuedOn, t.LastUsedOn = goodtest.InDays(-120), snapshot.Time{} })},
		{Name: "issued lately and never used", Want: posture.Pass, Edit: addWriter(func(t *snapshot.Token) { t.LastUsedOn = snapshot.Time{} })},
		{Name: "neither date is known", Want: posture.Unknown, Resource: "t2",
			Edit: addWriter(func(t *snapshot.Token) { t.IssuedOn, t.LastUsedOn = snapshot.Time{}, snapshot.Time{} })},
		{Name: "a dormant token that is disabled", Want: posture.NotApplicable,
			Edit: goodtest.Edits(allOff(), addWriter(func(t *snapshot.Token) { t.Status, t.LastUsedOn = "disabled", goodtest.InDays(-300) }))},
	}
}

func evaluateDormant(v *check.View) check.Outcome {
	j := v.Judge()
	eachActive(v, j, func(k snapshot.Named, t snapshot.Token) {
		last, field, verb := t.LastUsedOn, "last_used_on", "was last used"
		if last.IsZero() {
			last, field, verb = t.IssuedOn, "issued_on", "was never used since it was issued"
			if t.NotBefore.After(last.Time) {
				last, field, verb = t.NotBefore, "not_before", "was never used since it is valid"
			}
		}
		switch {
		case last.IsZero():
			j.Unclear(resource(t.ID, t.Name), "Cloudflare tells neither when the token was issued nor when it was used")
		case older(v, last, v.Policy.TokenUnusedDays):
			j.Fail(resource(t.ID, t.Name), fmt.Sprintf("The active token %s %s on %s.", t.Name, verb, check.Day(last)),
				check.Evidence(k, "/"+t.ID+"/"+field, last.Format(time.RFC3339), fmt.Sprintf("within %d days", v.Policy.TokenUnusedDays)))
			if s := spanOf(t); len(s.takes()) > 0 || len(s.all()) > v.Policy.TokenWriteGroups || len(mints(t)) > 0 {
				j.Rated(posture.High) // misuse would go unnoticed
			}
		default:
			j.Pass()
		}
	})
	return j.Done("Every active token is in use.", "there is no active token")
}

// proposeDisabling disables a token of the account. Its secret is kept, so this can be undone. A
// person's token cannot be changed by the account.
func proposeDisabling(c *propose.Case) ([]change.Edit, error) {
	if c.TokenID == "" {
		return nil, propose.Refuse("It is not known which token this service itself uses, so none is switched off.")
	}
	if c.TokenID == c.Finding.Resource.ID {
		return nil, propose.Refuse("This is the token the assessment was made with; switching it off would end the access to the account.")
	}
	place, live, err := c.At("/accounts/{account_id}/tokens/{id}")
	if err != nil {
		return nil, err
	}
	if live == nil {
		return nil, propose.Refuse("The account owns no such token; a token of a person is switched off or deleted by that person.")
	}
	used := propose.Moment(live, "last_used_on")
	if used.IsZero() {
		used = propose.Moment(live, "issued_on")
	}
	if propose.Text(live, "status") != "active" || !used.IsZero() &&
		c.Now.Sub(used.Time) <= time.Duration(c.Policy.TokenUnusedDays)*24*time.Hour {
		return nil, nil
	}
	if used.IsZero() {
		return nil, propose.Refuse("Cloudflare tells neither when the token was issued nor when it was used.")
	}
	if propose.Blanked(live) || len(propose.Objects(live["policies"])) == 0 {
		return nil, propose.Refuse("Cloudflare does not return the whole token, so it cannot be sent back.")
	}
	captured := map[string]any{}
	for _, name := range []string{"name", "policies", "condition", "expires_on", "not_before", "status"} {
		if live[name] != nil {
			captured[name] = live[name]
		}
	}
	written := maps.Clone(captured)
	written["status"] = "disabled"
	return []change.Edit{propose.Replace("PUT", place, place.Path, live, written, captured, "status")}, nil
}
