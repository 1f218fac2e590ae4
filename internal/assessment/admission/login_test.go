package admission_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestClaimsNeedTheirLogin holds which rules ask for a login that tells something, and that the others do not.
func TestClaimsNeedTheirLogin(t *testing.T) {
	all := []snapshot.IdentityProvider{{ID: "pin", Type: "onetimepin"}, {ID: "entra", Type: "azureAD"}, {ID: "okta", Type: "okta"},
		{ID: "code", Type: "github"}, {ID: "own", Type: "saml"}}
	only := func(kind string) []snapshot.AccessPolicy {
		return []snapshot.AccessPolicy{{ID: "p", Decision: "allow", Include: []snapshot.AccessRule{{Kind: kind, Value: "x"}}}}
	}
	access := admission.Access{Logins: &all}
	for kind, logins := range map[string][]string{"azureAD": {"entra"}, "auth_context": {"entra"}, "okta": {"okta"},
		"github-organization": {"code"}, "gsuite": nil, "saml": {"entra", "okta", "code", "own"}, "auth_method": {"entra", "okta", "code", "own"},
		"email": {"pin", "entra", "okta", "code", "own"}, "everyone": {"pin", "entra", "okta", "code", "own"}} {
		var takes []string
		for _, p := range all {
			if access.Takes(only(kind), p.ID) == truth.Yes {
				takes = append(takes, p.ID)
			}
		}
		require.Equal(t, logins, takes, kind)
	}
	none := []snapshot.IdentityProvider{}
	open := []snapshot.AccessPolicy{{ID: "p", Decision: "bypass", Include: []snapshot.AccessRule{{Kind: "everyone"}}}}
	require.Equal(t, truth.Yes, admission.Access{Logins: &none}.Opens(open), "whoever is let past signs in nowhere")
	require.Len(t, admission.Access{Logins: &all}.Ways(only("everyone"), []string{"gone"}), 1, "a login that is gone closes nothing")
	require.Len(t, admission.Access{}.Ways(only("okta"), []string{"pin"}), 1, "nobody knows the logins")
}

// TestAnEmptyListAdmitsNobody: a list without an address has nobody on it, and one that could not be read may have anybody.
func TestAnEmptyListAdmitsNobody(t *testing.T) {
	listed := []snapshot.AccessRule{{Kind: "ip_list", Value: "l1"}}
	everyone := []snapshot.AccessRule{{Kind: "everyone"}}
	read := func(items ...snapshot.GatewayListItem) admission.Access {
		return admission.Access{Lists: func(string) ([]snapshot.GatewayListItem, bool) { return items, true }}
	}
	for _, decision := range []string{"allow", "bypass", "non_identity"} {
		only := []snapshot.AccessPolicy{{ID: "p", Decision: decision, Include: listed}}
		also := []snapshot.AccessPolicy{{ID: "p", Decision: decision, Include: everyone, Require: listed}}
		but := []snapshot.AccessPolicy{{ID: "p", Decision: decision, Include: everyone, Exclude: listed}}
		require.Empty(t, read().Ways(only, nil), decision)
		require.Empty(t, read().Ways(also, nil), decision)
		require.Len(t, read().Ways(but, nil), 1, decision)
		require.Len(t, read(snapshot.GatewayListItem{Value: "45.60.10.9"}).Ways(only, nil), 1, decision)
		require.Len(t, admission.Access{}.Ways(only, nil), 1, decision)
	}
}
