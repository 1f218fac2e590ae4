package token

import (
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// eachActive visits every active token of the account and the user once, with
// the source it was read from.
func eachActive(v *check.View, visit func(snapshot.Named, snapshot.Token)) {
	seen := map[string]bool{}
	for _, k := range []snapshot.Key[[]snapshot.Token]{snapshot.AccountTokens, snapshot.UserTokens} {
		for _, t := range check.Read(v, k) {
			if t.Status != "active" || seen[t.ID] {
				continue
			}
			seen[t.ID] = true
			visit(k, t)
		}
	}
}

// groupWrites reports whether a permission group may change something. The names of most say so; the others are those
// of Cloudflare's list that write all the same
// (developers.cloudflare.com/fundamentals/api/reference/permissions/).
func groupWrites(group string) bool {
	for _, end := range []string{"Write", "Edit", "Revoke", "Write PCAPs API"} {
		if strings.HasSuffix(group, end) {
			return true
		}
	}
	return slices.Contains([]string{"Account API Gateway", "Domain API Gateway", "Page Shield", "Domain Page Shield", "Zaraz Admin",
		"SCIM Provisioning", "Cloudflare DEX", "Realtime Admin", "Connectivity Directory Admin", "Magic Network Monitoring Admin",
		"Cache Purge"}, group)
}

// writes names the groups of a grant that may change something.
func writes(p snapshot.TokenPolicy) []string {
	if p.Effect == "deny" {
		return nil
	}
	var out []string
	for _, g := range p.Groups {
		if groupWrites(g) {
			out = append(out, g)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mayWrite reports whether a token has a group that may change something.
func mayWrite(t snapshot.Token) bool {
	return slices.ContainsFunc(t.Policies, func(p snapshot.TokenPolicy) bool { return len(writes(p)) > 0 })
}

// older reports whether a time is more than so many days ago.
func older(v *check.View, at snapshot.Time, days int) bool {
	return v.Now().Sub(at.Time) > time.Duration(days)*24*time.Hour
}

// writer is an example token that may write, otherwise without fault.
func writer() snapshot.Token {
	return snapshot.Token{ID: "t2", Name: "deploy", Status: "active", IssuedOn: goodtest.InDays(-30), LastUsedOn: goodtest.InDays(-1),
		ExpiresOn: goodtest.InDays(200), SourceIPs: []string{"8.8.4.0/24"},
		Policies: []snapshot.TokenPolicy{{Effect: "allow", Groups: []string{"DNS Write"},
			Resources: []string{"com.cloudflare.api.account.zone.1a"}}}}
}

// addWriter is an example edit: a token of the account that may write.
func addWriter(change func(*snapshot.Token)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		t := writer()
		if change != nil {
			change(&t)
		}
		snapshot.Put(b, snapshot.AccountTokens, goodtest.Account, []snapshot.Token{t})
	}
}

// allOff is an example edit: no token is active.
func allOff() func(*snapshot.Builder) {
	return editUserTokens(func(t *snapshot.Token) { t.Status = "disabled" })
}
