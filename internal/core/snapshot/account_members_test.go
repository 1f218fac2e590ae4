package snapshot

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFactorOfAMember tells a member without a second factor from one of whom Cloudflare says nothing.
func TestFactorOfAMember(t *testing.T) {
	for text, want := range map[string]Member{
		`{"id":"m","user":{"email":"a@b.example","two_factor_authentication_enabled":true}}`:  {HasUser: true, TwoFactor: true},
		`{"id":"m","user":{"email":"a@b.example","two_factor_authentication_enabled":false}}`: {HasUser: true},
		`{"id":"m","user":{"email":"a@b.example","two_factor_authentication_enabled":null}}`:  {HasUser: true, FactorUntold: true},
		`{"id":"m","user":{"email":"a@b.example"}}`:                                           {HasUser: true, FactorUntold: true},
		`{"id":"m","user":null}`: {},
	} {
		var w memberWire
		require.NoError(t, json.Unmarshal([]byte(text), &w))
		m := reduceMember(w)
		require.Equal(t, want, Member{HasUser: m.HasUser, TwoFactor: m.TwoFactor, FactorUntold: m.FactorUntold}, text)
	}
}

// TestRolesOfAMember: a permission group has a name only optionally, and one without may be any.
func TestRolesOfAMember(t *testing.T) {
	for text, want := range map[string][]string{
		`{"roles":[{"name":"Administrator"}]}`:                                                         {"Administrator"},
		`{"policies":[{"access":"allow","permission_groups":[{"id":"p1"},{"id":"p2","name":"DNS"}]}]}`: {RoleUntold, "DNS"},
		`{"policies":[{"access":"deny","permission_groups":[{"id":"p1"}]}]}`:                           {},
		`{}`: {},
	} {
		var w memberWire
		require.NoError(t, json.Unmarshal([]byte(text), &w))
		require.Equal(t, want, reduceMember(w).Roles, text)
	}
}
