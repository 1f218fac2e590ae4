package oidc

import (
	"fmt"
	"net/mail"
	"reflect"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/access"
)

// MaxGroups bounds the values of the role claim.
const MaxGroups = 1000

// Identity is a person at a provider. Issuer and Subject together identify the person permanently
// (OpenID Connect Core 1.0, section 5.7); Name and Email are for display and may change. Every text
// is plain and has at most 200 characters.
type Identity struct {
	Issuer        string
	Subject       string
	Name          string // never ""
	Email         string // "" when the provider reports none
	EmailVerified bool
	// Groups are the values of the role claim, without those longer than 200 characters, which no
	// rule can name.
	Groups []string
	// Grants are the grants of all matching rules, without duplicates, in the order of the rules.
	Grants []access.Grant
}

// identify builds an identity from claims.
func (p *Provider) identify(subject string, claims map[string]any) (Identity, error) {
	id := Identity{Issuer: p.config.Issuer, Subject: subject, Email: textOf(claims, "email")}
	// Only an address, as the provider writes it, can be verified. Some providers send email_verified as a string.
	address, err := mail.ParseAddress(id.Email)
	vouched := claims["email_verified"] == true || claims["email_verified"] == "true"
	id.EmailVerified = vouched && err == nil && claims["email"] == address.Address
	for _, name := range []string{textOf(claims, "name"), textOf(claims, "preferred_username"), id.Email, subject} {
		if id.Name == "" {
			id.Name = name
		}
	}
	groups, ok := list(find(claims, p.config.RoleClaim))
	if !ok {
		return Identity{}, p.untrusted(fmt.Sprintf("its claim %s is neither a text nor a list of at most %d texts", p.config.RoleClaim,
			MaxGroups), "")
	}
	id.Groups = slices.DeleteFunc(groups, func(g string) bool { return !plain(g) })
	if p.config.RoleClaim == "email" && !id.EmailVerified {
		id.Groups = nil // anybody could have entered the address
	}
	for _, r := range p.config.Rules {
		if (r.Group == Everybody || slices.Contains(id.Groups, r.Group)) && !slices.ContainsFunc(id.Grants, same(r.Grant)) {
			id.Grants = append(id.Grants, r.Grant)
		}
	}
	if len(id.Grants) == 0 {
		return id, p.noGrant()
	}
	return id, nil
}

func same(g access.Grant) func(access.Grant) bool {
	return func(o access.Grant) bool { return reflect.DeepEqual(g, o) }
}

func textOf(claims map[string]any, name string) string {
	s, _ := claims[name].(string)
	return clean(s)
}

// find returns the value of a claim by its name, which may contain dots, or by its path, or nil.
func find(claims map[string]any, path string) any {
	if v := claims[path]; v != nil {
		return v
	}
	var at any = claims
	for part := range strings.SplitSeq(path, ".") {
		object, _ := at.(map[string]any)
		at = object[part]
	}
	return at
}

// list converts a string or a list of strings; a missing value is an empty list.
func list(value any) ([]string, bool) {
	switch v := value.(type) {
	case nil:
		return nil, true
	case string:
		return []string{v}, true
	case []any:
		out := make([]string, 0, min(len(v), MaxGroups))
		for _, item := range v {
			s, ok := item.(string)
			if !ok || len(out) == MaxGroups {
				return nil, false
			}
			out = append(out, s)
		}
		return out, true
	default:
		return nil, false
	}
}
