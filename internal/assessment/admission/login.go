package admission

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// SignIn is who can sign in at all, by the logins that are allowed; all are when the list is empty.
func (a Access) SignIn(allowed []string) Who { return a.signIn(allowed, nil) }

// signIn is SignIn without the logins that rules name.
func (a Access) signIn(allowed []string, without []snapshot.AccessRule) Who {
	if a.Logins == nil {
		return SomeLogin
	}
	out, any := Company, false
	for _, p := range *a.Logins {
		if slices.Contains(without, snapshot.AccessRule{Kind: "login_method", Value: p.ID}) {
			continue
		}
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

func (a Access) login(id string) (who Who, unsure bool) {
	if a.Logins != nil {
		if i := slices.IndexFunc(*a.Logins, func(p snapshot.IdentityProvider) bool { return p.ID == id }); i >= 0 {
			return ofLogin((*a.Logins)[i]), false
		}
	}
	return SomeLogin, true
}

// claimed reports whether a login that the application accepts tells what a rule of a kind asks: groups and claims of a directory, and
// how somebody proved to be himself there (developers.cloudflare.com/cloudflare-one/access-controls/policies/#selectors). Rules that
// somebody with a mailed code can meet ask none.
func (a Access) claimed(kind string) bool {
	return a.Logins == nil || tells(mailed, kind) || slices.ContainsFunc(*a.Logins, func(p snapshot.IdentityProvider) bool {
		return (len(a.allowed) == 0 || slices.Contains(a.allowed, p.ID)) && tells(p.Type, kind)
	})
}

// mailed is the login by a code that is sent to a mailbox.
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
