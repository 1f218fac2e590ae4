package token

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// eachActive visits every active token of the account and the user once, with its source. One of which
// Cloudflare does not say whether it is active is unclear.
func eachActive(v *check.View, j *check.Judgement, visit func(snapshot.Named, snapshot.Token)) {
	seen := map[string]bool{}
	for _, k := range []snapshot.Key[[]snapshot.Token]{snapshot.AccountTokens, snapshot.UserTokens} {
		for _, t := range check.Read(v, k) {
			if seen[t.ID] || t.Status == "disabled" || t.Status == "expired" {
				continue
			}
			seen[t.ID] = true
			if t.Status == "active" {
				visit(k, t)
			} else {
				j.Unclear(resource(t.ID, t.Name), "Cloudflare did not say whether the token is active")
			}
		}
	}
}

// older reports whether a time is more than the given number of days ago.
func older(v *check.View, at snapshot.Time, days int) bool {
	return v.Now().Sub(at.Time) > time.Duration(days)*24*time.Hour
}

// writer returns an example token with write access, otherwise without problems.
func writer() snapshot.Token {
	return snapshot.Token{ID: "t2", Name: "deploy", Status: "active", IssuedOn: goodtest.InDays(-30), LastUsedOn: goodtest.InDays(-1),
		ExpiresOn: goodtest.InDays(200), SourceIPs: []string{"8.8.4.0/24"},
		Policies: []snapshot.TokenPolicy{{Effect: "allow", Groups: []string{"DNS Write"},
			Resources: []string{"com.cloudflare.api.account.zone.1a"}}}}
}

// addWriter is an example edit that adds a token with write access to the account.
func addWriter(change func(*snapshot.Token)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		t := writer()
		if change != nil {
			change(&t)
		}
		snapshot.Put(b, snapshot.AccountTokens, goodtest.Account, []snapshot.Token{t})
	}
}

// statusUntold is an example: a token of which Cloudflare does not say whether it is active.
func statusUntold() goodtest.Example {
	return goodtest.Example{Name: "a token without a status", Want: posture.Unknown, Resource: "t2",
		Edit: addWriter(func(t *snapshot.Token) { t.Status = "" })}
}

// policiesUntold is an example: a token whose policies Cloudflare does not return.
func policiesUntold() goodtest.Example {
	return goodtest.Example{Name: "a token without policies", Want: posture.Unknown, Resource: "t2",
		Edit: addWriter(func(t *snapshot.Token) { t.Policies, t.SourceIPs = nil, nil })}
}

// groupsUntold is an example: a token with a policy whose permission groups Cloudflare does not return.
func groupsUntold() goodtest.Example {
	return goodtest.Example{Name: "a token with a policy without groups", Want: posture.Unknown, Resource: "t2",
		Edit: addWriter(func(t *snapshot.Token) { t.Policies[0].Groups, t.SourceIPs = nil, nil })}
}

// allOff is an example edit that leaves no token active.
func allOff() func(*snapshot.Builder) {
	return editUserTokens(func(t *snapshot.Token) { t.Status = "disabled" })
}
