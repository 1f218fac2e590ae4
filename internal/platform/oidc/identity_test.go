package oidc

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
)

// TestRoleClaims: where groups stand, and what they give.
func TestRoleClaims(t *testing.T) {
	many := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("g%d", i))
		}
		return out
	}
	admin, viewer := access.Grant{Role: "administrator"}, access.Grant{Role: "viewer", Accounts: []string{"a1"}}
	for name, tc := range map[string]struct {
		claim  string
		change func(object)
		rules  string
		grants []access.Grant
		kind   error
	}{
		"a list":             {change: put("groups", []string{"other", "staff", "admins"}), grants: []access.Grant{admin, viewer}},
		"a text":             {change: put("groups", "staff"), grants: []access.Grant{viewer}},
		"a name in capitals": {change: put("groups", "Staff"), kind: ErrNoGrant},
		"absent":             {change: put("groups", nil), kind: ErrNoGrant},
		"empty":              {change: put("groups", []string{}), kind: ErrNoGrant},
		"absent, everybody":  {change: put("groups", nil), rules: "*=viewer", grants: []access.Grant{{Role: "viewer"}}},
		"each grant once": {change: put("groups", []string{"a", "b"}), rules: "a=viewer:x;b=viewer:x;*=viewer:label:x",
			grants: []access.Grant{{Role: "viewer", Accounts: []string{"x"}}, {Role: "viewer", Labels: []string{"x"}}}},
		"nested": {claim: "realm_access.roles", change: put("realm_access", object{"roles": []string{"admins"}}), grants: []access.Grant{admin}},
		"a name with dots": {claim: "https://example.com/groups", change: put("https://example.com/groups", "admins"),
			grants: []access.Grant{admin}},
		"nested in a text": {claim: "name.x", change: put("name", "admins"), kind: ErrNoGrant},
		"a domain": {claim: "hd", change: put("hd", "example.com"), rules: "example.com=viewer",
			grants: []access.Grant{{Role: "viewer"}}},
		"an address":            {claim: "email", rules: "ada@example.com=viewer", grants: []access.Grant{{Role: "viewer"}}},
		"an unverified address": {claim: "email", change: put("email_verified", false), rules: "ada@example.com=viewer", kind: ErrNoGrant},
		"verified in a text": {claim: "email", change: put("email_verified", "true"), rules: "ada@example.com=viewer",
			grants: []access.Grant{{Role: "viewer"}}},
		"a number":               {change: put("groups", 5), kind: ErrRefused},
		"a list of numbers":      {change: put("groups", []int{5}), kind: ErrRefused},
		"an object":              {change: put("groups", object{"admins": true}), kind: ErrRefused},
		"as many as are allowed": {change: put("groups", append(many(MaxGroups-1), "staff")), grants: []access.Grant{viewer}},
		"one more":               {change: put("groups", append(many(MaxGroups), "staff")), kind: ErrRefused},
		"more than Entra sends": {change: func(c object) { // Entra ID tells where more than 200 groups can be read
			delete(c, "groups")
			c["_claim_names"], c["_claim_sources"] = object{"groups": "src1"}, object{"src1": object{"endpoint": "https://graph.example/x"}}
		}, kind: ErrNoGrant},
		"one too long": {change: put("groups", []string{strings.Repeat("x", maxText+1), "a\nb", "", "staff"}), grants: []access.Grant{viewer}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.claims = tc.change
			p := f.provider(func(c *Config) {
				if tc.claim != "" {
					c.RoleClaim = tc.claim
				}
				if tc.rules != "" {
					var err error
					c.Rules, err = parseRules(tc.rules)
					require.NoError(t, err)
				}
			})
			flow, query := f.begin(t, p)
			id, err := p.Complete(t.Context(), flow, query)
			require.Equal(t, tc.grants, id.Grants)
			if tc.kind == nil {
				require.NoError(t, err)
				return
			}
			refusedAs(t, tc.kind, err, flow)
			if errors.Is(tc.kind, ErrNoGrant) {
				require.Equal(t, "ada", id.Subject, "the audit log names who it was")
				require.Contains(t, err.Error(), "SERVICE_OIDC_OKTA_ROLE_MAP")
			}
		})
	}
}

func put(name string, value any) func(object) { return func(c object) { c[name] = value } }

// TestUserinfo: it is asked only for what is needed, and believed only of the same person.
func TestUserinfo(t *testing.T) {
	bare := func(c object) { delete(c, "groups"); delete(c, "name"); delete(c, "email") }
	for name, tc := range map[string]struct {
		claims   func(object)
		userinfo object
		answer   http.HandlerFunc
		rules    string
		asked    int
		kind     error
		want     Identity
	}{
		"not needed": {userinfo: object{"sub": "ada", "name": "Other"},
			want: Identity{Name: "Ada Lovelace", Email: "ada@example.com", EmailVerified: true, Groups: []string{"admins"}}},
		"groups": {claims: put("groups", nil), userinfo: object{"sub": "ada", "groups": "admins", "name": "Other", "email": "other@example.com"},
			asked: 1, want: Identity{Name: "Ada Lovelace", Email: "ada@example.com", EmailVerified: true, Groups: []string{"admins"}}},
		"all": {claims: bare, userinfo: object{"sub": "ada", "groups": []string{"admins"}, "name": "Ada", "email": "a@example.com"}, asked: 1,
			want: Identity{Name: "Ada", Email: "a@example.com", Groups: []string{"admins"}}},
		"only who it is": {claims: bare, userinfo: object{"sub": "ada", "preferred_username": "ada.l"}, rules: "*=viewer", asked: 1,
			want: Identity{Name: "ada.l"}},
		"a verified address of userinfo for one of the token": {claims: func(c object) { delete(c, "groups"); delete(c, "email_verified") },
			userinfo: object{"sub": "ada", "groups": "admins", "email": "x@example.com", "email_verified": true}, asked: 1,
			want: Identity{Name: "Ada Lovelace", Email: "ada@example.com", Groups: []string{"admins"}}},
		"somebody else":  {claims: bare, userinfo: object{"sub": "eve", "groups": "admins"}, asked: 1, kind: ErrRefused},
		"nobody":         {claims: bare, userinfo: object{"groups": "admins"}, asked: 1, kind: ErrRefused},
		"not allowed":    {claims: bare, userinfo: object{}, answer: status(403), asked: 1, kind: ErrRefused},
		"out of order":   {claims: bare, userinfo: object{}, answer: status(502), asked: 1, kind: ErrUnreachable},
		"without end":    {claims: bare, userinfo: object{}, answer: huge, asked: 1, kind: ErrUnreachable},
		"no JSON":        {claims: bare, userinfo: object{}, answer: status(200), asked: 1, kind: ErrRefused},
		"none published": {claims: bare, rules: "*=viewer", want: Identity{Name: "ada"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.claims, f.userinfo = tc.claims, tc.userinfo
			if tc.answer != nil {
				f.answer["/userinfo"] = tc.answer
			}
			p := f.provider(func(c *Config) {
				if tc.rules != "" {
					c.Rules, _ = parseRules(tc.rules)
				}
			})
			flow, query := f.begin(t, p)
			id, err := p.Complete(t.Context(), flow, query)
			require.Equal(t, tc.asked, f.requests("/userinfo"))
			if tc.kind != nil {
				refusedAs(t, tc.kind, err, flow)
				require.Equal(t, Identity{}, id)
				return
			}
			require.NoError(t, err)
			tc.want.Issuer, tc.want.Subject, tc.want.Grants = f.issuer(), "ada", id.Grants
			require.Equal(t, tc.want, id)
		})
	}
}

func TestNamesAreBounded(t *testing.T) {
	f := newFake(t)
	f.claims = func(c object) {
		c["name"], c["email"] = " \x1b[31mAda\r\n\u202eLovelace\u0000"+strings.Repeat("é", 5000), []string{"x"}
	}
	p := f.provider(nil)
	flow, query := f.begin(t, p)
	id, err := p.Complete(t.Context(), flow, query)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(id.Name, "[31mAda Lovelaceé"), id.Name)
	require.Len(t, []rune(id.Name), maxText)
	require.Empty(t, id.Email)
	require.False(t, id.EmailVerified, "there is no address that could be verified")
}

// TestAddresses: an address counts as verified only as the provider writes it, and if it is one: the audit log names people by it.
func TestAddresses(t *testing.T) {
	for email, verified := range map[string]bool{"ada@example.com": true, "Ada.L@Example.COM": true, "ada@exämple.com": true,
		"a\u200bda@example.com": false, " ada@example.com": false, "ada@example.com\x00": false, "ada@example.com.": false,
		"ada@example.com at https://id.example.com": false, "Ada <ada@example.com>": false, "key:12345678": false,
		strings.Repeat("a", 200) + "@example.com": false} {
		f := newFake(t)
		f.claims = put("email", email)
		flow, query := f.begin(t, f.provider(nil))
		id, err := f.provider(nil).Complete(t.Context(), flow, query)
		require.NoError(t, err)
		require.Equal(t, verified, id.EmailVerified, email)
	}
}
