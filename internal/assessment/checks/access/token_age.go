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
		Why:        "Refreshing moves the end date but keeps the secret, so an old token is an old password.",
		Fix:        "Rotate the secret and hand it to its owner.",
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
	return []goodtest.Example{
		{Name: "two months old", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "exactly a year old", Want: posture.Pass, Edit: old(365, 1)},
		{Name: "two years old", Want: posture.Fail, Resource: goodtest.ServiceToken, Edit: old(730, 1)},
		{Name: "two years old and no version is told", Want: posture.Fail, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(old(730, 1), token(func(t *snapshot.ServiceToken) { t.SecretVersion = nil }))},
		{Name: "a refreshed end does not renew the secret", Want: posture.Fail, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(old(730, 1), token(func(t *snapshot.ServiceToken) { t.ExpiresAt = snapshot.At(goodtest.Now().AddDate(1, 0, 0)) }))},
		{Name: "two years old and rotated once", Want: posture.Warning, Resource: goodtest.ServiceToken, Edit: old(730, 2)},
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
		if t.CreatedAt.IsZero() {
			j.Unknown(r, "the provider did not tell when the service token "+t.Name+" was made")
			continue
		}
		seen := check.Evidence(snapshot.AccessServiceTokens, "/"+t.ID+"/created_at", t.CreatedAt.Format(time.DateOnly),
			"at most "+strconv.Itoa(v.Policy.ServiceTokenAgeDays)+" days ago")
		switch old := t.CreatedAt.Before(v.Now().AddDate(0, 0, -v.Policy.ServiceTokenAgeDays)); {
		case old && (t.SecretVersion == nil || *t.SecretVersion <= 1):
			j.Fail(r, "The secret of the service token "+t.Name+" was never changed in more than a year.", seen)
		case old:
			j.Warn(r, "The service token "+t.Name+" is older than a year; its secret was changed at a time nobody tells.", seen)
		default:
			j.Pass()
		}
	}
	return j.Done("Every service token is younger than a year.", "no service token exists")
}
