package admission

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// SignIn returns who can sign in at all, by the allowed logins; an empty list allows all.
func (a Access) SignIn(allowed []string) Who {
	out, _ := a.signIn(allowed, anywhere())
	return out
}

// signIn is SignIn for those of a fact; some is false when none of the logins is theirs.
func (a Access) signIn(allowed []string, f fact) (out Who, some bool) {
	if a.Logins == nil {
		return SomeLogin, true
	}
	out, known := Company, false
	for _, p := range *a.Logins {
		if len(allowed) > 0 && !slices.Contains(allowed, p.ID) {
			continue
		}
		known = true
		silent := func(r snapshot.AccessRule) bool { return !tells(p.Type, r.Kind) }
		if !slices.ContainsFunc(f.met, silent) && !a.apart(fact{met: []snapshot.AccessRule{{Kind: "login_method", Value: p.ID}}}, f) {
			out, some = max(out, ofLogin(p)), true
		}
	}
	if !known || !some && f.unsure {
		return SomeLogin, true
	}
	return out, some
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

func (a Access) login(id string) (who Who, unsure bool) {
	if a.Logins != nil {
		if i := slices.IndexFunc(*a.Logins, func(p snapshot.IdentityProvider) bool { return p.ID == id }); i >= 0 {
			return ofLogin((*a.Logins)[i]), false
		}
	}
	return SomeLogin, true
}

// claimed reports whether a login that the application accepts supplies what a kind of rule tests:
// groups and claims of a directory, and the method of authentication there
// (developers.cloudflare.com/cloudflare-one/access-controls/policies/#selectors). Rules that
// someone with a mailed code can meet need no such login.
func (a Access) claimed(kind string) bool {
	return a.Logins == nil || tells(mailed, kind) || slices.ContainsFunc(*a.Logins, func(p snapshot.IdentityProvider) bool {
		return (len(a.allowed) == 0 || slices.Contains(a.allowed, p.ID)) && tells(p.Type, kind)
	})
}

// mailed is the login by a one-time code sent by mail.
const mailed = "onetimepin"

func tells(login, kind string) bool {
	switch kind {
	case "azureAD", "auth_context":
		return login == "azureAD"
	case "gsuite":
		return login == "google-apps"
	case "github-organization":
		return login == "github"
	case "okta":
		return login == kind
	case "saml", "oidc", "auth_method":
		return login != mailed
	default:
		return true
	}
}

// device reports whether a device posture check is more than a login, or passes on any device that runs
// the client, of whatever organisation, or is not known. No page says what a rule decides by a check that is
// switched off
// (developers.cloudflare.com/cloudflare-one/reusable-components/posture-checks/client-checks/require-warp/).
func (a Access) device(id string) (factor, client, unknown bool) {
	if a.Posture != nil {
		if i := slices.IndexFunc(*a.Posture, func(r snapshot.PostureRule) bool { return r.ID == id && !r.Off }); i >= 0 {
			client = (*a.Posture)[i].Type == "warp"
			return !client, client, false
		}
	}
	return false, false, true
}
