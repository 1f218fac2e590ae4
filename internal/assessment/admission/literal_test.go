package admission_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// requester is one who asks for a page. Login is the identity provider used, "" for none; token a service token.
type requester struct {
	who                 admission.Who
	login, mail, group  string
	token, ip, country  string
	factor, device, own bool // own: a certificate of the company
	bare                bool // without the device client
}

// meets judges one rule for one requester, word by word.
func meets(gs exposure.Groups, r snapshot.AccessRule, q requester) bool {
	switch r.Kind {
	case "group":
		return admits(gs, gs[r.Value].Include, gs[r.Value].Require, gs[r.Value].Exclude, q)
	case "everyone":
		return true
	case "geo":
		return q.country == r.Value
	case "ip":
		return netip.MustParsePrefix(r.Value).Contains(netip.MustParseAddr(q.ip))
	case "email_domain":
		return q.login != "" && strings.HasSuffix(q.mail, "@"+r.Value)
	case "okta":
		return q.group == r.Value
	case "login_method":
		return q.login == r.Value
	case "service_token":
		return q.token == r.Value
	case "any_valid_service_token":
		return q.token != ""
	case "auth_method":
		return q.login != "" && q.factor
	case "device_posture":
		return r.Value == "disk" && q.device || r.Value == "client" && !q.bare // which anyone runs
	case "certificate":
		return q.own
	}
	panic(r.Kind)
}

func admits(gs exposure.Groups, include, demand, exclude []snapshot.AccessRule, q requester) bool {
	meetsOne := func(r snapshot.AccessRule) bool { return meets(gs, r, q) }
	return slices.ContainsFunc(include, meetsOne) && !slices.ContainsFunc(exclude, meetsOne) &&
		!slices.ContainsFunc(demand, func(r snapshot.AccessRule) bool { return !meetsOne(r) })
}

// passes tries the policies in Cloudflare's order and names the one that lets the requester in.
func passes(gs exposure.Groups, policies []snapshot.AccessPolicy, allowed []string, q requester) string {
	unknown := q // before anybody signs in
	unknown.login, unknown.mail, unknown.group, unknown.factor = "", "", "", false
	for _, p := range policies {
		if exposure.NoLogin(p) && admits(gs, p.Include, p.Require, p.Exclude, unknown) {
			return p.ID
		}
	}
	signedIn := q.login != "" && (len(allowed) == 0 || slices.Contains(allowed, q.login))
	for _, p := range policies {
		if exposure.NoLogin(p) || p.Decision == "allow" && !signedIn || !admits(gs, p.Include, p.Require, p.Exclude, q) {
			continue
		}
		if p.Decision == "allow" {
			return p.ID
		}
		return ""
	}
	return ""
}

// TestWaysAgreeWithALiteralReading makes random policies and asks for a page as strangers, people of the company, people that
// somebody named and holders of tokens: whoever passes came by a way at least as wide, and by each way that is open without a
// condition those it names do pass.
func TestWaysAgreeWithALiteralReading(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	logins := []snapshot.IdentityProvider{{ID: "dir", Type: "okta"}, {ID: "pin", Type: "onetimepin"}}
	posture := []snapshot.PostureRule{{ID: "disk", Type: "disk_encryption"}, {ID: "client", Type: "warp"}}
	strangers := requester{who: admission.Anyone, ip: "198.18.0.9", country: "FR"}
	mailbox, colleague := strangers, strangers
	mailbox.who, mailbox.login, mailbox.mail = admission.Anybody, "pin", "x@gmail.com"
	colleague.who, colleague.login, colleague.mail = admission.Company, "dir", "c@guest.example"
	named, token := colleague, strangers
	named.who, named.group, named.mail = admission.Named, "admins", "n@shop.example"
	token.who, token.token = admission.AnyToken, "t2"
	circles := []requester{strangers, mailbox, colleague, named, token}
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	var gs exposure.Groups
	rule := func(groups bool) snapshot.AccessRule {
		kind := pick("everyone", "geo", "ip", "email_domain", "okta", "login_method", "service_token", "any_valid_service_token", "auth_method",
			"device_posture", "certificate", "group")
		if kind == "group" && !groups {
			kind = "everyone"
		}
		return snapshot.AccessRule{Kind: kind, Value: map[string]string{"geo": pick("FR", "DE"), "ip": pick("0.0.0.0/0", "0.0.0.0/1",
			"128.0.0.0/1", "::/0", "198.18.0.0/24", "45.60.10.0/24"), "email_domain": pick("gmail.com", "shop.example"), "okta": "admins",
			"login_method": pick("dir", "pin"), "service_token": "t1",
			"auth_method": "mfa", "device_posture": pick("disk", "client"), "group": pick("g1", "g2")}[kind]}
	}
	rules := func(least int, groups bool) (out []snapshot.AccessRule) {
		for range least + random.IntN(3) {
			out = append(out, rule(groups))
		}
		return out
	}
	some := func(rs []snapshot.AccessRule) []snapshot.AccessRule { return rs[:len(rs)*random.IntN(2)] }
	for n := range 20_000 {
		gs = exposure.Groups{"g2": {ID: "g2", Include: rules(1, false), Require: rules(0, false), Exclude: some(rules(1, false))}}
		gs["g1"] = snapshot.AccessGroup{ID: "g1", Include: append(rules(1, false), snapshot.AccessRule{Kind: "group", Value: "g2"})}
		var policies []snapshot.AccessPolicy
		for i := range 1 + random.IntN(4) {
			p := snapshot.AccessPolicy{ID: fmt.Sprint("p", i), Decision: pick("allow", "allow", "bypass", "non_identity", "deny"),
				Include: rules(1, true), Require: rules(0, true), Exclude: some(rules(1, true))}
			if p.Decision == "deny" && random.IntN(2) == 0 {
				p.Include, p.Require = []snapshot.AccessRule{{Kind: "everyone"}}, nil
			}
			policies = append(policies, p)
		}
		var allowed []string
		if random.IntN(2) == 0 {
			allowed = []string{pick("dir", "pin")}
		}
		access := admission.Access{Groups: gs, Logins: &logins, Posture: &posture}
		ways := access.Ways(policies, allowed)
		if access.Takes(policies, "pin") == truth.No {
			by := passes(gs, policies, []string{"pin"}, mailbox)
			require.False(t, slices.ContainsFunc(policies, func(p snapshot.AccessPolicy) bool { return p.ID == by && !exposure.NoLogin(p) }),
				"%d: a mailed code passes %v by %s", n, policies, by)
		}
		for _, q := range circles {
			by := passes(gs, policies, allowed, q)
			if by == "" {
				continue
			}
			require.True(t, slices.ContainsFunc(ways, func(w admission.Way) bool {
				return w.Policy.ID == by && w.Who >= q.who && !w.Factor || w.Unsure
			}),
				"%d: %v passes %v", n, q, policies)
		}
		for _, w := range ways {
			require.False(t, w.Unsure, "%d: %v is all known", n, policies)
			for _, q := range circles {
				if meant(w, q) {
					require.NotEmpty(t, passes(gs, policies, allowed, q), "%d: %v does not pass %v by %v", n, q, policies, w)
				}
			}
		}
	}
}

// meant reports whether a way says of a requester that he passes. The requesters have one name and one mailbox of the many that a
// rule may mean, and nobody has two login methods at once.
func meant(w admission.Way, q requester) bool {
	particular := func(r snapshot.AccessRule) bool {
		elsewhere := r.Kind == "ip" && !netip.MustParsePrefix(r.Value).Contains(netip.MustParseAddr(q.ip))
		return elsewhere || r.Kind == "email_domain" || r.Kind == "group" || r.Kind == "login_method" && len(w.Policy.Require) > 0
	}
	rules := slices.Concat(w.Policy.Include, w.Policy.Require)
	return !w.Unsure && !w.Except && !w.Placed && !w.Factor && !slices.ContainsFunc(rules, particular) &&
		q.who == w.Who && q.who != admission.Named && (q.who != admission.AnyToken || w.Policy.Decision != "allow")
}
