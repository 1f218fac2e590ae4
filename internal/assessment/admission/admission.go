// Package admission tells who passes an application of Access, and how.
//
// Policies are tried in Cloudflare's order: Bypass and Service Auth first, then Allow and Block, of which the first that matches
// decides (developers.cloudflare.com/cloudflare-one/access-controls/policies/). Each rule that a policy includes is a way in; what
// the policy demands besides narrows it. A way that hangs on something that was not read is marked, never guessed.
package admission

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Who is how wide the circle is of those who pass a way.
type Who int

// The circles, from narrow to wide. Named are people, groups, directories, devices or services that somebody named; Company is
// everybody in the company's directory; AnyToken whoever holds a service token of the account; SomeLogin whoever can sign in, by
// logins that are not known; Anybody whoever opens a mailbox or an account at a consumer service; Anyone whoever sends a request.
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
	// Rule is what the policy includes, groups followed.
	Rule snapshot.AccessRule
	Who  Who
	// Place is from where: Wide unless an address or range is demanded. Placed says that some place is, be it a country.
	Place  exposure.Width
	Placed bool
	// Factor says that the rules demand more than a login: a second factor, a healthy device or a certificate.
	Factor bool
	// Except says that the policy, a group or a Block before it leaves out a part of them.
	Except bool
	// Unsure says that a group, a login or a kind of rule is not known: the way may be narrower than it looks, or closed.
	Unsure bool
}

// Unasked reports whether nobody signs in on this way.
func (w Way) Unasked() bool { return exposure.NoLogin(w.Policy) }

// Open reports whether whoever sends a request passes, from wherever.
func (w Way) Open() bool { return w.Who == Anyone && w.Place == exposure.Wide && !w.Factor }

// Access is what policies are read with. Logins is nil when the identity providers could not be read.
type Access struct {
	Groups exposure.Groups
	Logins *[]snapshot.IdentityProvider
	// unasked says that the policy at hand asks for no login; allowed are the logins that the application accepts, and signed is what
	// everybody meets who signs in by the only one of them.
	unasked bool
	allowed []string
	signed  []snapshot.AccessRule
}

// Ways lists the ways that policies leave into an application; allowed are the logins it accepts, all when there are none. A Block
// takes away the ways after it that it surely takes, and a Block for everyone leaves only those it excludes. A policy whose rules were
// not returned is one unsure way.
func (a Access) Ways(policies []snapshot.AccessPolicy, allowed []string) []Way {
	if a.allowed = allowed; len(allowed) == 1 {
		a.signed = []snapshot.AccessRule{{Kind: "login_method", Value: allowed[0]}}
	}
	var out []Way
	for _, p := range policies {
		if exposure.NoLogin(p) {
			out = append(out, a.through(p, Anyone)...)
		}
	}
	left, blocks := []fact{anywhere()}, []snapshot.AccessPolicy{}
	for _, p := range policies {
		switch p.Decision {
		case "deny":
			if !blocksAll(p) {
				blocks = append(blocks, p)
				continue
			}
			if left = both(left, a.anyOf(p.Exclude, nil)); len(left) == 0 {
				return out
			}
			for i := range left {
				left[i].except = true
			}
		case "allow":
			base := a.signIn(allowed, slices.Concat(p.Exclude, ofAll(blocks)))
			for _, f := range both(a.admitted(p), left) {
				if f = a.without(f, blocks); !f.never {
					out = append(out, f.way(p, base))
				}
			}
		case "bypass", "non_identity":
		default:
			out = append(out, Way{Policy: p, Who: a.SignIn(allowed), Place: exposure.Wide, Unsure: true})
		}
	}
	return out
}

// blocksAll reports whether a Block is for everyone but those it excludes.
func blocksAll(p snapshot.AccessPolicy) bool {
	everyone := func(r snapshot.AccessRule) bool { return r.Kind == "everyone" }
	return slices.ContainsFunc(p.Include, everyone) &&
		!slices.ContainsFunc(p.Require, func(r snapshot.AccessRule) bool { return !everyone(r) })
}

// aboutIdentity reports whether a rule is about who signed in. Nobody meets it in a policy that asks for no login.
func aboutIdentity(r snapshot.AccessRule) bool {
	return slices.Contains([]string{"email", "email_list", "email_domain", "azureAD", "okta", "gsuite", "saml", "oidc", "github-organization",
		"auth_context", "auth_method", "login_method", "user_risk_score", "cloudflare_account_member"}, r.Kind)
}

// through lists the ways that one policy opens; base is who passes where no rule says more.
func (a Access) through(p snapshot.AccessPolicy, base Who) []Way {
	a.unasked = exposure.NoLogin(p)
	var out []Way
	for _, f := range a.admitted(p) {
		out = append(out, f.way(p, base))
	}
	return out
}

// admitted are those whom a policy takes.
func (a Access) admitted(p snapshot.AccessPolicy) []fact {
	if len(p.Include) == 0 {
		f := anywhere()
		f.unsure = true
		return []fact{f}
	}
	return a.meeting(p.Include, p.Require, p.Exclude, nil)
}

// fact is what one rule, or several that must all be met, say of those who meet them.
type fact struct {
	rule                   snapshot.AccessRule
	who                    Who
	place                  exposure.Width
	placed, factor, unsure bool
	met                    []snapshot.AccessRule // all the rules
	except, never          bool                  // a part is left out, or all
}

func anywhere() fact { return fact{who: Anyone, place: exposure.Wide} }

func (f fact) way(p snapshot.AccessPolicy, base Who) Way {
	if f.who != AnyToken { // a service does not sign in
		f.who = min(f.who, base)
	}
	if p.Approval && p.Decision == "allow" {
		f.who = Named
	}
	return Way{Policy: p, Rule: f.rule, Who: f.who, Place: f.place, Placed: f.placed, Factor: f.factor, Except: f.except, Unsure: f.unsure}
}

// maxFacts bounds the ways through nested groups; maxDepth how deep they are followed.
const (
	maxFacts = 1000
	maxDepth = 8
)

// both meets one of xs and one of ys. The rule of the first is kept.
func both(xs, ys []fact) []fact {
	var out []fact
	for _, x := range xs {
		for _, y := range ys {
			if len(out) == maxFacts {
				return append(out, fact{rule: x.rule, who: Anyone, place: exposure.Wide, unsure: true})
			}
			out = append(out, fact{rule: x.rule, who: min(x.who, y.who), place: min(x.place, y.place), placed: x.placed || y.placed,
				factor: x.factor || y.factor, unsure: x.unsure || y.unsure, met: slices.Concat(x.met, y.met), except: x.except || y.except})
		}
	}
	return out
}

// facts says what a rule tells of those who meet it, one fact for each rule of a group
// (developers.cloudflare.com/cloudflare-one/access-controls/policies/#selectors). A group that names itself adds nothing.
func (a Access) facts(r snapshot.AccessRule, path []string) []fact {
	f := anywhere()
	f.rule, f.met = r, []snapshot.AccessRule{r}
	if a.unasked && aboutIdentity(r) || !a.claimed(r.Kind) {
		return nil
	}
	switch r.Kind {
	case "group":
		return a.group(r, path)
	case "everyone", "user_risk_score":
	case "geo":
		f.placed = true
	case "ip":
		f.place, f.placed, f.unsure = width(r.Value)
	case "ip_list":
		f.place, f.placed = exposure.Middling, true
	case "email", "email_list", "azureAD", "okta", "gsuite", "saml", "oidc", "github-organization", "auth_context", "service_token",
		"linked_app_token", "external_evaluation", "cloudflare_account_member":
		f.who = Named
	case "email_domain":
		f.who = Named
		if exposure.PublicMail(r) {
			f.who = Anybody
		}
	case "login_method":
		if len(a.allowed) > 0 && !slices.Contains(a.allowed, r.Value) {
			return nil // the application does not accept it
		}
		f.who, f.unsure = a.login(r.Value)
	case "any_valid_service_token":
		f.who = AnyToken
	case "certificate", "common_name":
		f.who, f.factor = Named, true
	case "device_posture":
		f.factor = true
	case "auth_method":
		f.factor = exposure.SecondFactor(r)
	default:
		f.unsure = true
	}
	return []fact{f}
}

func (a Access) group(r snapshot.AccessRule, path []string) []fact {
	if slices.Contains(path, r.Value) {
		return nil
	}
	g, known := a.Groups[r.Value]
	if !known || len(path) == maxDepth {
		f := anywhere()
		f.rule, f.met, f.unsure = r, []snapshot.AccessRule{r}, true
		return []fact{f}
	}
	return a.meeting(g.Include, g.Require, g.Exclude, append(slices.Clone(path), r.Value))
}

// meeting are those who meet one of the rules that are included, all that are required, and none that is excluded.
func (a Access) meeting(include, require, exclude []snapshot.AccessRule, path []string) []fact {
	demands := []fact{anywhere()}
	for _, r := range require {
		demands = both(demands, a.facts(r, path))
	}
	var out []fact
	for _, f := range both(a.anyOf(include, path), demands) {
		switch left := a.anyTakes(exclude, f, path); {
		case left == truth.Yes:
			continue
		case len(exclude) > 0:
			f.except, f.unsure = true, f.unsure || left == truth.Undecided
		}
		out = append(out, f)
	}
	return out
}

// anyOf are those who meet one of some rules.
func (a Access) anyOf(rules []snapshot.AccessRule, path []string) (out []fact) {
	for _, r := range rules {
		out = append(out, a.facts(r, path)...)
	}
	return out
}

// width grades an address or a range; two ranges that halve the internet are wide too.
func width(text string) (w exposure.Width, placed, unsure bool) {
	p, ok := prefix(text)
	if !ok {
		return exposure.Wide, true, true
	}
	return exposure.WidthOf(p), p.Bits() > 1, false
}
