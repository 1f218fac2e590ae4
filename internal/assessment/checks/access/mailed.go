package access

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// mailedLogins lists applications that take a mailed code besides the company's login, and names one of which that is not known. An
// application without a list takes every provider, but its policies decide whether somebody who has only a code passes
// (developers.cloudflare.com/cloudflare-one/access-controls/policies/).
func mailedLogins(v *check.View, idps []snapshot.IdentityProvider) (out []posture.Evidence, unsure string) {
	m := mailed{}
	for _, p := range idps {
		if p.Type == "onetimepin" {
			m.pins = append(m.pins, p.ID)
		}
	}
	if len(m.pins) == 0 {
		return nil, ""
	}
	groups, _ := check.ReadOptional(v, snapshot.AccessGroups)
	m.groups = exposure.IndexGroups(groups)
	for _, a := range check.Read(v, snapshot.AccessApps) {
		listed := slices.ContainsFunc(m.pins, func(id string) bool { return slices.Contains(a.AllowedIDPs, id) })
		if a.Type == "bookmark" || !listed && len(a.AllowedIDPs) > 0 {
			continue
		}
		switch m.passes(a.Policies) {
		case truth.Yes:
			out = append(out, check.Evidence(snapshot.AccessApps, "/"+a.ID+"/allowed_idps", "one-time PIN accepted by "+a.Name,
				"the company identity provider only"))
		case truth.Undecided:
			unsure = a.Name
		}
	}
	return out, unsure
}

// mailed tells whom a mailed code lets pass.
type mailed struct {
	pins   []string
	groups exposure.Groups
}

// passes reports whether somebody with a mailed code may pass a policy. Nobody signs in for a bypass or with a service token, and a Block
// that names the login ends the list.
func (m mailed) passes(policies []snapshot.AccessPolicy) truth.Value {
	out := truth.No
	for _, p := range policies {
		all := m.all(p.Require, 0)
		switch {
		case p.Decision == "deny" && len(p.Require)+len(p.Exclude) == 0 && slices.ContainsFunc(p.Include, m.named):
			return out
		case p.Decision == "allow" && !slices.ContainsFunc(p.Exclude, m.named):
			out = truth.Or(out, truth.And(m.any(p.Include, 0), all))
		}
	}
	return out
}

func (m mailed) named(r snapshot.AccessRule) bool {
	return r.Kind == "login_method" && slices.Contains(m.pins, r.Value)
}

func (m mailed) any(rules []snapshot.AccessRule, depth int) truth.Value {
	out := truth.No
	for _, r := range rules {
		out = truth.Or(out, m.meets(r, depth))
	}
	return out
}

func (m mailed) all(rules []snapshot.AccessRule, depth int) truth.Value {
	out := truth.Yes
	for _, r := range rules {
		out = truth.And(out, m.meets(r, depth))
	}
	return out
}

// meets reports whether somebody with a mailed code can meet a rule. Groups and claims of a directory, and the method of its login, come
// with a login there.
func (m mailed) meets(r snapshot.AccessRule, depth int) truth.Value {
	const deepest = 8
	switch r.Kind {
	case "login_method":
		return truth.Is(m.named(r))
	case "azureAD", "okta", "gsuite", "saml", "oidc", "github-organization", "auth_context", "auth_method":
		return truth.No
	case "group":
		g, known := m.groups[r.Value]
		if !known || depth == deepest {
			return truth.Undecided
		}
		if slices.ContainsFunc(g.Exclude, m.named) {
			return truth.No
		}
		return truth.And(m.any(g.Include, depth+1), m.all(g.Require, depth+1))
	}
	return truth.Yes
}
