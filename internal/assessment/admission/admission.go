// Package admission determines who is admitted by an Access application, and how.
//
// Policies are evaluated in Cloudflare's order: Bypass and Service Auth first, then Allow and
// Block, of which the first match decides
// (developers.cloudflare.com/cloudflare-one/access-controls/policies/). Each rule that a policy
// includes is a way in; its other requirements narrow that way. A way that depends on something
// that was not read is marked, never guessed.
package admission

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Who is how wide the circle is of those a way admits.
type Who int

// The circles, from narrow to wide. Named are people, groups, directories, devices or services that
// someone named; Company is everyone in the company's directory; AnyToken is any holder of a
// service token of the account; SomeLogin is anyone who can sign in, by logins that are not known;
// Anybody is anyone who opens a mailbox or an account at a consumer service; Anyone is anyone who
// sends a request.
const (
	Named Who = iota
	Company
	AnyToken
	SomeLogin
	Anybody
	Anyone
)

// Way is one way into an application.
type Way struct {
	Policy snapshot.AccessPolicy
	// Rule is the rule that the policy includes, with groups resolved.
	Rule snapshot.AccessRule
	// Also are the rules that whoever comes this way meets besides.
	Also []snapshot.AccessRule
	Who  Who
	// Place is the allowed origin of requests: Everywhere unless an address or range is required,
	// which is Range unless it is one of a list. Placed is set when any location is required, even a
	// country.
	Place  exposure.Width
	Range  string
	Placed bool
	// Listed is set when Place hangs on a list of addresses that could not be read: the list may be one
	// address or half of the internet.
	Listed bool
	// Token is the service token that the way asks for, "" for none or any.
	Token string
	// Factor is set when the rules require more than a login: a second factor, a healthy device or
	// a certificate.
	Factor bool
	// Client is set when the device client must run, of any organisation: anyone may install it.
	Client bool
	// Tested is set when Factor hangs on a device posture check that could not be read: any device
	// may pass it.
	Tested bool
	// Except is set when the policy, a group or an earlier Block excludes some of those admitted.
	Except bool
	// Unsure is set when a group, a login or a kind of rule is not known: the way may be narrower
	// than it looks, or closed.
	Unsure bool
}

// Unasked reports whether this way requires no login.
func (w Way) Unasked() bool { return exposure.NoLogin(w.Policy) }

// Open reports whether the way admits any request, from anywhere. A country keeps out nobody, as
// anyone can appear to come from there.
func (w Way) Open() bool { return w.Who == Anyone && w.Place == exposure.Everywhere && !w.Factor }

// Access is the context for evaluating policies. Logins is nil when the identity providers could
// not be read.
type Access struct {
	Groups exposure.Groups
	Logins *[]snapshot.IdentityProvider
	// Lists returns the items of a list of addresses. It may be nil.
	Lists Lists
	// Posture are the device posture checks, nil when they could not be read.
	Posture *[]snapshot.PostureRule
	// unasked is set when the current policy requires no login; allowed are the logins that the
	// application accepts. signed is the rule that everyone who signs in meets when there is only
	// one of them.
	unasked bool
	allowed []string
	signed  []snapshot.AccessRule
}

// Ways lists the ways into an application that its policies leave open; allowed are the logins it
// accepts, or all if empty. An earlier Block takes away those it covers. A policy whose rules were not
// returned is one unsure way.
func (a Access) Ways(policies []snapshot.AccessPolicy, allowed []string) []Way {
	if a.allowed = allowed; len(allowed) == 1 {
		a.signed = []snapshot.AccessRule{{Kind: "login_method", Value: allowed[0]}}
	}
	return append(a.unaskedWays(policies), a.askedWays(policies, allowed)...)
}

// unaskedWays lists the ways that require no login.
func (a Access) unaskedWays(policies []snapshot.AccessPolicy) (out []Way) {
	a.unasked = true
	var all []fact
	var by []snapshot.AccessPolicy
	for _, p := range policies {
		if exposure.NoLogin(p) {
			all = append(all, a.admitted(p)...)
			by = append(by, slices.Repeat([]snapshot.AccessPolicy{p}, len(all)-len(by))...)
		}
	}
	a.together(all)
	for i, f := range all {
		out = append(out, f.way(by[i], Anyone))
	}
	return out
}

// askedWays lists the ways of those who sign in.
func (a Access) askedWays(policies []snapshot.AccessPolicy, allowed []string) (out []Way) {
	var blocks, by []snapshot.AccessPolicy
	var all []fact
	var bases []Who
	for _, p := range policies {
		switch p.Decision {
		case "deny":
			blocks = append(blocks, p)
		case "allow":
			unblocked := func(f fact) []fact {
				left := []fact{f}
				for _, b := range blocks {
					left = within(left, func(f fact) []fact { return a.outside(f, b.Include, b.Require, b.Exclude, nil) })
				}
				return left
			}
			for _, f := range within(a.admitted(p), unblocked) {
				if base, some := a.signIn(allowed, f); some {
					all, by, bases = append(all, f), append(by, p), append(bases, base)
				}
			}
		case "bypass", "non_identity":
		default:
			out = append(out, Way{Policy: p, Who: Anyone, Place: exposure.Everywhere, Unsure: true}) // it may ask for no login
		}
	}
	a.together(all)
	for i, f := range all {
		out = append(out, f.way(by[i], bases[i]))
	}
	return out
}

// blocksAll reports whether a Block applies to everyone except those it excludes.
func blocksAll(p snapshot.AccessPolicy) bool {
	everyone := func(r snapshot.AccessRule) bool { return r.Kind == "everyone" }
	return slices.ContainsFunc(p.Include, everyone) &&
		!slices.ContainsFunc(p.Require, func(r snapshot.AccessRule) bool { return !everyone(r) })
}

// aboutIdentity reports whether a rule is about who signed in. Nobody meets it in a policy that
// requires no login.
func aboutIdentity(r snapshot.AccessRule) bool {
	return slices.Contains([]string{"email", "email_list", "email_domain", "azureAD", "okta", "gsuite", "saml", "oidc", "github-organization",
		"auth_context", "auth_method", "login_method", "user_risk_score", "cloudflare_account_member"}, r.Kind)
}

// admitted returns the facts about those whom a policy admits.
func (a Access) admitted(p snapshot.AccessPolicy) []fact {
	if len(p.Include) == 0 {
		f := anywhere()
		f.unsure = true
		return []fact{f}
	}
	return a.meeting(p.Include, p.Require, p.Exclude, nil)
}
