package zerotrust

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// tokenLife judges the configured lifetime of service tokens.
func tokenLife() check.Check {
	return check.Check{
		ID: "CFL-ZT-006", Title: "Service tokens live a year at most",
		Category: "zerotrust", Severity: posture.Medium, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "A service token works until its end date. With a duration of many years a copied secret works for as " +
			"long, and nobody has a reason to rotate it.",
		Fix: "Set the duration of the service token to a year or less, then rotate its secret.",
		Words: posture.Words{
			Problem: "Service token {name} lives too long",
			Impact:  "Anyone who copied the secret, such as a former employee, calls the applications with it for years.",
			Breaks:  "The automation that sends the token stops at the new end date unless the token is refreshed.",
			Dashboard: "Zero Trust › Access controls › Service credentials › Service Tokens › {name} › Edit: choose a duration " +
				"of one year or less.",
			Call: posture.Call{Method: "PUT", Path: "/accounts/{account_id}/access/service_tokens/{id}",
				From: "/accounts/{account_id}/access/service_tokens/{id}",
				Body: `{name: .result.name, duration: "8760h"}`},
			Terraform: `resource "cloudflare_zero_trust_access_service_token" "token" {
  account_id = "{account_id}"
  name       = "{name}"
  duration   = "8760h"
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/identity/service-tokens/"},
		Controls: check.Controls{
			check.Supports("cis 6.2", "Service tokens end after a year at most."),
			check.Supports("soc2 CC6.3", "Access of services ends when it is not renewed."),
			check.Supports("pci 8.6.3", "Secrets of services have an interval, which may be shorter by risk."),
			check.Supports("nist PR.AA-01", "The life of service tokens has an end."),
		},
		Aliases:  []string{"flareinspect:CFL-ZT-006", "union:service-token-expiry"},
		Needs:    []snapshot.Named{snapshot.AccessServiceTokens},
		Evaluate: evaluateTokenLife,
	}
}

func tokenLifeExamples() []goodtest.Example {
	lasts := func(d string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessServiceTokens, goodtest.Account, func(ts *[]snapshot.ServiceToken) { (*ts)[0].Duration = d })
		}
	}
	off := false
	token := func(change func(*snapshot.ServiceToken)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessServiceTokens, goodtest.Account, func(ts *[]snapshot.ServiceToken) { change(&(*ts)[0]) })
		}
	}
	ends := func(days int) func(*snapshot.Builder) {
		return token(func(t *snapshot.ServiceToken) { t.ExpiresAt = goodtest.InDays(days) })
	}
	enabled := func(on *bool) func(*snapshot.Builder) {
		return token(func(t *snapshot.ServiceToken) { t.Enabled = on })
	}
	return []goodtest.Example{
		{Name: "exactly a year", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a quarter", Want: posture.Pass, Edit: lasts("2160h")},
		{Name: "an hour more than a year", Want: posture.Fail, Resource: goodtest.ServiceToken, Edit: lasts("8761h")},
		{Name: "ten years", Want: posture.Fail, Resource: goodtest.ServiceToken, Edit: lasts("87600h")},
		{Name: "no end", Want: posture.Fail, Resource: goodtest.ServiceToken, Edit: lasts("forever")},
		{Name: "ten years, and expired", Want: posture.Pass, Edit: goodtest.Edits(lasts("87600h"), ends(-1))},
		{Name: "ten years, and a day is left", Want: posture.Fail, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(lasts("87600h"), ends(1))},
		{Name: "no end, and disabled", Want: posture.Pass, Edit: goodtest.Edits(lasts("forever"), enabled(&off))},
		{Name: "no end, and nobody tells whether it is enabled", Want: posture.Fail, Resource: goodtest.ServiceToken,
			Edit: goodtest.Edits(lasts("forever"), enabled(nil))},
		{Name: "nothing is told", Want: posture.Warning, Resource: goodtest.ServiceToken, Edit: lasts("")},
		{Name: "a duration nobody can read", Want: posture.Unknown, Resource: goodtest.ServiceToken, Edit: lasts("a while")},
		{Name: "no service token", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccessServiceTokens, goodtest.Account, []snapshot.ServiceToken{})
		}},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateTokenLife(v *check.View) check.Outcome {
	limit := time.Duration(v.Policy.ServiceTokenHours) * time.Hour
	j := v.Judge()
	for _, t := range check.Read(v, snapshot.AccessServiceTokens) {
		r := posture.Resource{Type: posture.ResourceToken, ID: t.ID, Name: t.Name}
		seen := check.Evidence(snapshot.AccessServiceTokens, "/"+t.ID+"/duration", t.Duration, check.Lasting(limit)+" or less")
		d, err := time.ParseDuration(t.Duration)
		switch {
		case t.Dead(v.Now()):
			j.Pass() // it is unusable; CFL-ZT-012 judges policies that still name it
		case t.Duration == "forever" || err == nil && d > limit:
			j.Fail(r, "The service token "+t.Name+" is valid "+lasting(d, limit)+"; the limit is "+check.Lasting(limit)+".", seen)
		case t.Duration == "":
			seen.Observed = "absent"
			j.Warn(r, "The service token "+t.Name+" has no duration.", seen)
			j.As(posture.Words{Problem: "Service token {name} has no duration"})
		case err != nil:
			j.Unclear(r, "Cloudflare returned a duration this check cannot read")
		default:
			j.Pass()
		}
	}
	return j.Done("Every service token lives a year at most.", "no service token exists")
}

// lasting describes how long a token is valid; a token that does not expire has no duration.
func lasting(d, limit time.Duration) string {
	if d == 0 {
		return "for ever"
	}
	return "for " + check.Exceeding(d, limit)
}
