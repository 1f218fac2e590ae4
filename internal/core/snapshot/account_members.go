package snapshot

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// AccountMembers holds who may use the account.
const AccountMembers Key[[]Member] = "account/members"

// Member is a person or service with access to the account. Of the address only the domain and a
// masked form are kept.
type Member struct {
	ID          string `json:"id"`
	Email       string `json:"email"` // local part masked
	EmailDomain string `json:"email_domain"`
	Status      string `json:"status"`
	HasUser     bool   `json:"has_user"`
	TwoFactor   bool   `json:"two_factor"`
	// FactorUntold says that Cloudflare did not return whether the user has a second factor.
	FactorUntold bool     `json:"two_factor_untold,omitempty"`
	Roles        []string `json:"roles"` // RoleUntold among them
}

// SortKey orders members by id.
func (m Member) SortKey() string { return m.ID }

// The names of the roles, and of the permission groups that replace them, with every permission.
// They are compared as a whole, because the read-only administrator is another role
// (developers.cloudflare.com/fundamentals/manage-members/roles/).
const (
	RoleAdministrator      = "Administrator"
	RoleSuperAdministrator = "Super Administrator - All Privileges"
)

// RoleUntold stands for a permission group whose name Cloudflare did not return; the published schema
// has it optional.
const RoleUntold = ""

// EveryRight reports whether a role may change everything.
func EveryRight(role string) bool { return role == RoleAdministrator || role == RoleSuperAdministrator }

type memberWire struct {
	ID     string `json:"id"`
	Email  string `json:"email"`
	Status string `json:"status"`
	User   *struct {
		Email     string `json:"email"`
		TwoFactor *bool  `json:"two_factor_authentication_enabled"`
	} `json:"user"`
	Roles []struct {
		Name string `json:"name"`
	} `json:"roles"`
	Policies []roleWire `json:"policies"`
}

// roleWire holds the roles of a policy, for members and user groups.
type roleWire struct {
	Access           string `json:"access"`
	PermissionGroups []struct {
		Name string `json:"name"`
	} `json:"permission_groups"`
}

// rolesOf adds the roles granted by policies to others, sorted; a deny policy grants none.
func rolesOf(policies []roleWire, others ...string) []string {
	out := append([]string{}, others...)
	for _, p := range policies {
		if p.Access == "deny" {
			continue
		}
		for _, g := range p.PermissionGroups {
			out = append(out, g.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func reduceMember(w memberWire) Member {
	m := Member{ID: w.ID, Status: w.Status, HasUser: w.User != nil}
	email := w.Email
	if w.User != nil {
		m.TwoFactor = given(w.User.TwoFactor)
		m.FactorUntold = w.User.TwoFactor == nil
		if email == "" {
			email = w.User.Email
		}
	}
	m.Email, m.EmailDomain = maskEmail(email)
	var roles []string
	for _, r := range w.Roles {
		roles = append(roles, r.Name)
	}
	m.Roles = rolesOf(w.Policies, roles...)
	return m
}

// maskEmail keeps the first letter of the local part and the whole domain.
func maskEmail(address string) (masked, domain string) {
	local, domain, found := strings.Cut(address, "@")
	if !found || local == "" {
		return "•••", ""
	}
	first, _ := utf8.DecodeRuneInString(local)
	return string(first) + "•••@" + strings.ToLower(domain), strings.ToLower(domain)
}

// accountMembers lists who may use the account, with roles and second factor
// (developers.cloudflare.com/api/resources/accounts/subresources/members/methods/list/).
func accountMembers() Source {
	return list(AccountMembers, Source{
		Path: "/accounts/{account_id}/members", Paging: Paging{Kind: ByPage, Size: 50}, Volatile: true,
		Permission: "Account: Account Settings Read",
		Example: `[{"id":"m1","status":"accepted","user":{"email":"ann@acme.example","first_name":"Ann",` +
			`"two_factor_authentication_enabled":true},"roles":[{"name":"Administrator"}]}]`,
	}, reduceMember)
}
