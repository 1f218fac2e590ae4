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
