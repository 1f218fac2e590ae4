package token

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// minting finds tokens that can create tokens or manage members. An address list that contains
// every address restricts nothing.
func minting() check.Check {
	return check.Check{
		ID: "CFL-TOK-010", Title: "No token can create tokens or manage members",
		Category: "token", Severity: posture.Critical, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "A token that can create tokens or members outlives every rotation, because it can make itself a successor.",
		Fix: "Delete the token, or limit it to one source address and a lifetime of days.",
		Words: posture.Words{
			Problem: "API token {name} can create tokens or members",
			Impact:  "Someone who steals the token gives themselves lasting access to the account.",
			Breaks:  "Automation that manages tokens or members needs a person, or a token with a short life.",
			Dashboard: "Manage Account › Account API Tokens, or My Profile › API Tokens for a token of a person: {name} › Edit: " +
				"remove API Tokens Write and Account Settings Write, or add an IP filter and a TTL.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/api/reference/permissions/"},
		Controls: check.Controls{
			check.Supports("cis 6.8", "No token may give itself or others more permissions."),
			check.Supports("soc2 CC6.3", "Rights to give rights are not held by machines."),
			check.Supports("pci 7.2.5", "No application's token may make tokens or members."),
			check.Supports("nist PR.AA-05", "Separation of duties holds for tokens: none may widen permissions."),
		},
		Needs:    []snapshot.Named{snapshot.AccountTokens, snapshot.UserTokens},
		Evaluate: evaluateMinting,
	}
}

func mintingExamples() []goodtest.Example {
	holds := func(group string, change func(*snapshot.Token)) func(*snapshot.Builder) {
		return addWriter(func(t *snapshot.Token) {
			t.Policies[0].Groups = []string{group}
			if change != nil {
				change(t)
			}
		})
	}
	return []goodtest.Example{
		statusUntold(), policiesUntold(), groupsUntold(),
		{Name: "other rights", Want: posture.Pass, Resource: goodtest.Account, Edit: addWriter(nil)},
		{Name: "may only read settings", Want: posture.Pass, Edit: holds("Account Settings Read", nil)},
		{Name: "may create tokens from any address", Want: posture.Fail, Resource: "t2",
			Edit: holds("API Tokens Write", func(t *snapshot.Token) { t.SourceIPs = nil })},
		{Name: "may create tokens without end", Want: posture.Fail, Resource: "t2",
			Edit: holds("API Tokens Edit", func(t *snapshot.Token) { t.ExpiresOn = snapshot.Time{} })},
		{Name: "bound to every address", Want: posture.Fail, Resource: "t2", Edit: holds("Account API Tokens Write",
			func(t *snapshot.Token) { t.SourceIPs = []string{"0.0.0.0/0"} })},
		{Name: "members belong to the account settings", Want: posture.Fail, Resource: "t2", Edit: holds("Account Settings Write",
			func(t *snapshot.Token) { t.SourceIPs = nil })},
		{Name: "bound to addresses and with an end", Want: posture.Warning, Resource: "t2", Edit: holds("Memberships Write", nil)},
		{Name: "the end is years away", Want: posture.Warning, Resource: "t2", Edit: holds("Account API Tokens Write",
			func(t *snapshot.Token) { t.ExpiresOn = goodtest.InDays(900) })},
		{Name: "provisions members without saying that it writes", Want: posture.Fail, Resource: "t2", Edit: holds("SCIM Provisioning",
			func(t *snapshot.Token) { t.SourceIPs = nil })},
		{Name: "provisions members, bound and with an end", Want: posture.Warning, Edit: holds("SCIM Provisioning", nil)},
		{Name: "members, by the dashboard's name", Want: posture.Fail, Edit: holds("Memberships Edit",
			func(t *snapshot.Token) { t.ExpiresOn = snapshot.Time{} })},
		{Name: "sign-in of everybody", Want: posture.Fail, Edit: holds("SSO Connectors Write", func(t *snapshot.Token) { t.SourceIPs = nil })},
		{Name: "bound to every address in two halves", Want: posture.Fail, Edit: holds("API Tokens Write",
			func(t *snapshot.Token) { t.SourceIPs = []string{"0.0.0.0/1", "128.0.0.0/1"} })},
		{Name: "bound to every address of version 6", Want: posture.Fail, Edit: holds("API Tokens Write",
			func(t *snapshot.Token) { t.SourceIPs = []string{"8.8.4.4/32", "::/0"} })},
		{Name: "bound to one address", Want: posture.Warning, Edit: holds("API Tokens Write",
			func(t *snapshot.Token) { t.SourceIPs = []string{"8.8.4.4", "2a01:4f8::/48"} })},
		{Name: "a group of which only the id is known", Want: posture.Unknown, Resource: "t2", Edit: holds("", nil)},
		{Name: "no active token", Want: posture.NotApplicable, Edit: allOff()},
	}
}

// mints returns the groups of a token that allow creating credentials or members.
func mints(t snapshot.Token) []string {
	var out []string
	for _, p := range t.Policies {
		for _, g := range writes(p) {
			if can(g, powerMints) {
				out = append(out, g)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// bound reports whether its addresses restrict a token: together they must be less than 1/256 of
// all.
func bound(sources []string) bool {
	return len(sources) > 0 && mailauth.Share(ranges(sources)) < 1.0/256
}

// ranges returns the entries of a token's list that can be parsed.
func ranges(sources []string) (out []netip.Prefix) {
	for _, s := range sources {
		if p, err := parseRange(s); err == nil {
			out = append(out, p)
		}
	}
	return out
}

func evaluateMinting(v *check.View) check.Outcome {
	j := v.Judge()
	eachActive(v, j, func(k snapshot.Named, t snapshot.Token) {
		may := mints(t)
		if len(may) == 0 {
			if nameless(t) {
				j.Unclear(resource(t.ID, t.Name), noName)
			} else {
				j.Pass()
			}
			return
		}
		r, rights := resource(t.ID, t.Name), strings.Join(may, ", ")
		bound := bound(t.SourceIPs)
		rows := []posture.Evidence{check.Evidence(k, "/"+t.ID+"/policies", rights, "none of these rights")}
		var missing []string
		if !bound {
			missing = append(missing, "from any address")
			rows = append(rows, check.Evidence(k, "/"+t.ID+"/source_ips", "not bound", "one host"))
		}
		if t.ExpiresOn.IsZero() {
			missing = append(missing, "without an end date")
			rows = append(rows, check.Evidence(k, "/"+t.ID+"/expires_on", "none", "a near date"))
		}
		message := "The token " + t.Name + " can create tokens or manage members (" + rights + ")"
		switch {
		case len(missing) > 0:
			j.Fail(r, message+", "+strings.Join(missing, " and ")+".", rows...)
		case t.ExpiresOn.After(v.Now().AddDate(1, 0, 0)):
			j.Warn(r, message+" until "+check.Day(t.ExpiresOn)+", more than a year ahead.", rows...)
		default:
			j.Warn(r, message+".", rows...)
		}
	})
	return j.Done("No active token can create tokens or manage members.", "there is no active token")
}
