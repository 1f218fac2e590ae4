// Package admission tells who passes an application of Access, and how.
//
// Policies are tried in Cloudflare's order: Bypass and Service Auth first, then Allow and Block, of which the first that matches
// decides (developers.cloudflare.com/cloudflare-one/access-controls/policies/). Each rule that a policy includes is a way in; what
// the policy demands besides narrows it. A way that hangs on something that was not read is marked, never guessed.
package admission

import (
	"net/netip"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
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
	// unasked says that the policy at hand asks for no login; allowed are the logins that the application accepts.
	unasked bool
	allowed []string
}

// Ways lists the ways that policies leave into an application; allowed are the logins it accepts, all when there are none. A Block
// for everyone ends the list. A policy whose rules were not returned is one unsure way.
func (a Access) Ways(policies []snapshot.AccessPolicy, allowed []string) []Way {
	a.allowed = allowed
	var out []Way
	for _, p := range policies {
		if exposure.NoLogin(p) {
			out = append(out, a.through(p, Anyone)...)
		}
	}
	for _, p := range policies {
		switch p.Decision {
		case "deny":
			if blocksAll(p) {
				return out
			}
		case "allow":
			out = append(out, a.through(p, a.SignIn(allowed))...)
		case "bypass", "non_identity":
		default:
			out = append(out, Way{Policy: p, Who: a.SignIn(allowed), Place: exposure.Wide, Unsure: true})
		}
	}
	return out
}

// blocksAll reports whether a Block leaves nobody out.
func blocksAll(p snapshot.AccessPolicy) bool {
	everyone := func(r snapshot.AccessRule) bool { return r.Kind == "everyone" }
	return len(p.Exclude) == 0 && slices.ContainsFunc(p.Include, everyone) &&
		!slices.ContainsFunc(p.Require, func(r snapshot.AccessRule) bool { return !everyone(r) })
}

// SignIn is who can sign in at all, by the logins that are allowed; all are when the list is empty.
func (a Access) SignIn(allowed []string) Who {
	if a.Logins == nil {
		return SomeLogin
	}
	out, any := Company, false
	for _, p := range *a.Logins {
		if len(allowed) == 0 || slices.Contains(allowed, p.ID) {
			out, any = max(out, ofLogin(p)), true
		}
	}
	if !any {
		return SomeLogin
	}
	return out
}

func ofLogin(p snapshot.IdentityProvider) Who {
	switch {
	case p.Mailed() || p.Consumer():
		return Anybody
	case p.Company():
		return Company
	default:
		return SomeLogin
	}
}

// aboutIdentity reports whether a rule is about who signed in. Nobody meets it in a policy that asks for no login.
func aboutIdentity(r snapshot.AccessRule) bool {
	return slices.Contains([]string{"email", "email_list", "email_domain", "azureAD", "okta", "gsuite", "saml", "oidc", "github-organization",
		"auth_context", "auth_method", "login_method", "user_risk_score", "cloudflare_account_member"}, r.Kind)
}

// through lists the ways that one policy opens; base is who passes where no rule says more.
func (a Access) through(p snapshot.AccessPolicy, base Who) []Way {
	a.unasked = exposure.NoLogin(p)
	if len(p.Include) == 0 {
		return []Way{{Policy: p, Who: base, Place: exposure.Wide, Unsure: true}}
	}
	demands := []fact{anywhere()}
	for _, r := range p.Require {
		demands = both(demands, a.facts(r, nil))
	}
	var out []Way
	for _, r := range p.Include {
		for _, f := range both(a.facts(r, nil), demands) {
			w := Way{Policy: p, Rule: f.rule, Who: f.who, Place: f.place, Placed: f.placed, Factor: f.factor, Unsure: f.unsure}
			if w.Who != AnyToken { // a service does not sign in
				w.Who = min(w.Who, base)
			}
			out = append(out, w)
		}
	}
	return out
}

// fact is what one rule, or several that must all be met, say of those who meet them.
type fact struct {
	rule                   snapshot.AccessRule
	who                    Who
	place                  exposure.Width
	placed, factor, unsure bool
}

func anywhere() fact { return fact{who: Anyone, place: exposure.Wide} }

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
				factor: x.factor || y.factor, unsure: x.unsure || y.unsure})
		}
	}
	return out
}

// facts says what a rule tells of those who meet it, one fact for each rule of a group
// (developers.cloudflare.com/cloudflare-one/access-controls/policies/#selectors). A group that names itself adds nothing.
func (a Access) facts(r snapshot.AccessRule, path []string) []fact {
	f := anywhere()
	f.rule = r
	if a.unasked && aboutIdentity(r) {
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
		f.who, f.unsure = a.login(r.Value)
		if !f.unsure && len(a.allowed) > 0 && !slices.Contains(a.allowed, r.Value) {
			return nil // the application does not accept it
		}
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
		f.rule, f.unsure = r, true
		return []fact{f}
	}
	path = append(slices.Clone(path), r.Value)
	demands := []fact{anywhere()}
	for _, d := range g.Require {
		demands = both(demands, a.facts(d, path))
	}
	var out []fact
	for _, in := range g.Include {
		out = append(out, both(a.facts(in, path), demands)...)
	}
	return out
}

func (a Access) login(id string) (who Who, unsure bool) {
	if a.Logins != nil {
		if i := slices.IndexFunc(*a.Logins, func(p snapshot.IdentityProvider) bool { return p.ID == id }); i >= 0 {
			return ofLogin((*a.Logins)[i]), false
		}
	}
	return SomeLogin, true
}

// width grades an address or a range; two ranges that halve the internet are wide too.
func width(text string) (w exposure.Width, placed, unsure bool) {
	if _, err := netip.ParseAddr(text); err == nil {
		return exposure.Narrow, true, false
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return exposure.Wide, true, true
	}
	return exposure.WidthOf(p), p.Bits() > 1, false
}
