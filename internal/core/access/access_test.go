package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
)

// TestRolesIncludeThoseBefore goes through every pair; what is no role includes nothing and is included by none.
func TestRolesIncludeThoseBefore(t *testing.T) {
	for i, have := range access.Roles() {
		for j, need := range access.Roles() {
			require.Equal(t, i >= j, have.Includes(need), "%s %s", have, need)
		}
		require.False(t, have.Includes(""))
		require.False(t, access.Role("").Includes(have))
		require.False(t, access.Role("owner").Includes(have))
	}
}

func TestScope(t *testing.T) {
	p := access.Principal{Kind: access.User, Grants: []access.Grant{{Role: access.Viewer, Labels: []string{"production"}},
		{Role: access.Operator, Accounts: []string{"a"}}}}
	for _, c := range []struct {
		need     access.Role
		account  string
		labels   []string
		expected bool
	}{
		{access.Viewer, "a", nil, true},
		{access.Viewer, "b", []string{"production"}, true},
		{access.Viewer, "b", []string{"staging"}, false},
		{access.Viewer, "", nil, false},
		{access.Operator, "a", nil, true},
		{access.Operator, "b", []string{"production"}, false},
		{access.Remediator, "a", []string{"production"}, false},
	} {
		require.Equal(t, c.expected, p.Scope(c.need).Holds(c.account, c.labels), "%+v", c)
	}
	require.True(t, p.Scope(access.Remediator).Empty())
	require.Equal(t, access.Operator, p.Role())
	require.True(t, access.Principal{Kind: access.Root}.Scope(access.Administrator).All)
	require.Equal(t, access.Administrator, access.Principal{Kind: access.Root}.Role())
	require.True(t, access.Principal{}.Scope(access.Viewer).Empty(), "nobody sees nothing")
	everywhere := access.Principal{Kind: access.Service, Grants: []access.Grant{{Role: access.Viewer}}}
	require.True(t, everywhere.Scope(access.Viewer).Holds("any", nil))
	require.True(t, everywhere.Scope(access.Analyst).Empty())
}

func TestGrantsAreChecked(t *testing.T) {
	require.NoError(t, access.Grant{Role: access.Analyst, Labels: []string{"x"}}.Validate())
	for _, g := range []access.Grant{{}, {Role: "owner"}, {Role: access.Viewer, Accounts: []string{""}},
		{Role: access.Viewer, Labels: []string{""}}} {
		require.Error(t, g.Validate(), "%+v", g)
	}
}
