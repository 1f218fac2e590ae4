package access

import (
	"strconv"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// tokenAge judges how old the secret of a service token is.
func tokenAge() check.Check {
	return check.Check{
		ID: "CFL-ZT-028", Title: "Service tokens are renewed within a year",
		Category: "access", Severity: posture.Low, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "Refreshing a service token moves its end date and keeps the secret. An old secret has been in many " +
			"configuration files, backups and mailboxes.",
		Fix: "Create a new service token, give it to the client, move the policies over, then delete the old one.",
		Words: posture.Words{
			Problem: "The secret of service token {name} is old",
			Impact: "Anyone who copied the secret over the years, such as a former employee, still calls the applications " +
				"with it.",
			Breaks:    "The client that uses the token, until it has the new id and secret.",
			Dashboard: inServiceAuth + ` › Create Service Token; then exchange it in the policies and delete {name}.`,
			Terraform: `resource "cloudflare_zero_trust_access_service_token" "successor" {
  account_id = "{account_id}"
  name       = "{name}"
  duration   = "8760h"
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/identity/service-tokens/"},
		Controls: check.Controls{
			check.Supports("cis 6.2", "Tokens that are renewed do not outlive the people and systems they were made for."),
			check.Touches("soc2 CC6.1", "It limits the age of a credential, not what it opens."),
			check.Shows("pci 8.6.3", "Secrets of services are changed within the interval that was chosen."),
			check.Supports("nist PR.AA-01", "The life of a service credential is managed and has an end."),
		},
		Needs:    []snapshot.Named{snapshot.AccessServiceTokens},
		Evaluate: evaluateTokenAge,
	}
}

func tokenAgeExamples() []goodtest.Example {
	token := func(change func(*snapshot.ServiceToken)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessServiceTokens, goodtest.Account, func(ts *[]snapshot.ServiceToken) { change(&(*ts)[0]) })
		}
	}
	old := func(days, version int) func(*snapshot.Builder) {
		return token(func(t *snapshot.ServiceToken) {
			t.CreatedAt, t.SecretVersion = snapshot.At(goodtest.Now().AddDate(0, 0, -days)), &version
		})
	}
	changed := func(days int) func(*snapshot.Builder) {
		return token(func(t *snapshot.ServiceToken) { t.UpdatedAt = goodtest.InDays(days) })
	}
	return []goodtest.Example{
		{Name: "two months old", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "exactly a year old", Want: posture.Pass, Edit: old(365, 1)},
		{Name: "two years old", Want: posture.Fail, Resource: goodtest.ServiceToken, Edit: old(730, 1)},
		{Name: "two years old and no version is told", Want: posture.Fail, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(old(730, 1), token(func(t *snapshot.ServiceToken) { t.SecretVersion = nil }))},
		{Name: "a refreshed end does not renew the secret", Want: posture.Fail, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(old(730, 1), token(func(t *snapshot.ServiceToken) { t.ExpiresAt = snapshot.At(goodtest.Now().AddDate(1, 0, 0)) }))},
		{Name: "two years old and rotated once", Want: posture.Warning, Resource: goodtest.ServiceToken, Edit: old(730, 2)},
		{Name: "two years old and rotated a month ago", Want: posture.Pass, Edit: goodtest.Edits(old(730, 2), changed(-30))},
		{Name: "three years old and rotated two years ago", Want: posture.Fail, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(old(1095, 2), changed(-730))},
		{Name: "two years old, changed a month ago and never rotated", Want: posture.Fail, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(old(730, 1), changed(-30))},
		{Name: "two years old, changed a month ago, and no version is told", Want: posture.Warning, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(old(730, 1), changed(-30), token(func(t *snapshot.ServiceToken) { t.SecretVersion = nil }))},
		{Name: "two years old and expired", Want: posture.Pass, Edit: goodtest.Edits(old(730, 1),
			token(func(t *snapshot.ServiceToken) { t.ExpiresAt = goodtest.InDays(-1) }))},
		{Name: "two years old and disabled", Want: posture.Pass, Edit: goodtest.Edits(old(730, 1),
			token(func(t *snapshot.ServiceToken) { off := false; t.Enabled = &off }))},
		{Name: "nobody tells when it was made", Want: posture.Unknown, Resource: goodtest.ServiceToken,
			Edit: token(func(t *snapshot.ServiceToken) { t.CreatedAt = snapshot.Time{} })},
		{Name: "no service token", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccessServiceTokens, goodtest.Account, []snapshot.ServiceToken{})
		}},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateTokenAge(v *check.View) check.Outcome {
	j := v.Judge()
	for _, t := range check.Read(v, snapshot.AccessServiceTokens) {
		r := posture.Resource{Type: posture.ResourceToken, ID: t.ID, Name: t.Name}
		if t.Dead(v.Now()) {
			j.Pass() // it is unusable
			continue
		}
		if t.CreatedAt.IsZero() {
			j.Unknown(r, "Cloudflare did not tell when the service token "+t.Name+" was created")
			continue
		}
		seen := check.Evidence(snapshot.AccessServiceTokens, "/"+t.ID+"/created_at", t.CreatedAt.Format(time.DateOnly),
			"at most "+strconv.Itoa(v.Policy.ServiceTokenAgeDays)+" days ago")
		age := check.Lasting(v.Now().Sub(t.CreatedAt.Time).Truncate(24 * time.Hour))
		limit := v.Now().AddDate(0, 0, -v.Policy.ServiceTokenAgeDays)
		changed := !t.UpdatedAt.Before(limit) // otherwise the secret is at least that old, whatever was changed
		switch old, version := t.CreatedAt.Before(limit), t.SecretVersion; {
		case old && version != nil && *version <= 1:
			j.Fail(r, "The secret of the service token "+t.Name+" is "+age+" old and was never rotated.", seen)
		case old && version != nil && t.UpdatedAt.IsZero():
			j.Warn(r, "The service token "+t.Name+" is "+age+" old; its secret was rotated, and Cloudflare does not tell when.", seen)
			j.As(posture.Words{Problem: "Service token {name} is old and was rotated at an unknown time"})
		case old && !changed:
			j.Fail(r, "The service token "+t.Name+" is "+age+" old, and its secret was not rotated within a year.", seen)
		case old && version == nil:
			j.Warn(r, "The service token "+t.Name+" is "+age+" old and was last changed on "+check.Day(t.UpdatedAt)+
				"; Cloudflare does not tell whether its secret was rotated.", seen)
			j.As(posture.Words{Problem: "Service token {name} is old and may never have been rotated"})
		default:
			j.Pass()
		}
	}
	return j.Done("Every service token is younger than a year.", "no service token exists")
}
