package snapshot

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamedListsAreRead: every list that an enabled rule or a policy names, once, and nothing when none is named.
func TestNamedListsAreRead(t *testing.T) {
	const a, b, c = "0c1b2f6e-1111-4c5b-9d77-4d0f3f0f0f0a", "0c1b2f6e-1111-4c5b-9d77-4d0f3f0f0f0b", "0c1b2f6e11114c5b9d774d0f3f0f0f0c"
	rule := func(enabled bool, traffic string) GatewayRule {
		return GatewayRule{ID: traffic, Enabled: enabled, Traffic: traffic}
	}
	for _, test := range []struct {
		name   string
		rules  []GatewayRule
		groups []AccessGroup
		want   []string
	}{
		{"nothing is named", []GatewayRule{rule(true, `http.request.uri matches "^a$"`)}, nil, nil},
		{"people of a list", []GatewayRule{{ID: "r", Enabled: true, Traffic: "net.dst.ip in $" + b, Identity: "identity.email in $" + a}}, nil,
			[]string{a, b}},
		{"a rule that is off", []GatewayRule{rule(false, "net.dst.ip in $"+a)}, nil, nil},
		{"a name that is no id", []GatewayRule{rule(true, "net.dst.ip in $office")}, nil, nil},
		{"two rules and a group name two lists", []GatewayRule{rule(true, "any(dns.domains[*] in $"+a+") or net.dst.ip in $"+b),
			rule(true, "not(net.dst.ip in $"+a+")")}, []AccessGroup{{ID: "g", Include: []AccessRule{{Kind: "ip_list", Value: b}}}}, []string{a, b}},
		{"an id without hyphens", []GatewayRule{rule(true, "net.dst.ip in $"+c)}, nil, []string{c}},
	} {
		t.Run(test.name, func(t *testing.T) {
			known := NewKnown(func(source, scope string) (Section, bool) {
				var value json.RawMessage
				var err error
				switch source {
				case GatewayRules.Source():
					value, err = Canonical(test.rules)
				case AccessGroups.Source():
					value, err = Canonical(test.groups)
				default:
					return Section{}, false
				}
				require.NoError(t, err)
				return Section{Source: source, Scope: scope, Status: OK, Value: value}, true
			})
			require.Equal(t, test.want, gatewayListItems().Items(known, "acct"))
		})
	}
}

// TestListsKeepNoPeople: addresses, domains and numbers of categories stay, the rest is only counted.
func TestListsKeepNoPeople(t *testing.T) {
	got, err := gatewayListItems().Decode(json.RawMessage(`[{"value":"192.0.2.0/24"},{"value":"ann@corp.example"},{"value":"C02XL0GTJGH5"},
		{"value":"Bücher.Example."},{"value":"zip"},{"value":"80"},{"value":"shop.example/secret?k=v"},{"value":"2001:db8::1"}]`))
	require.NoError(t, err)
	require.JSONEq(t, `[{"value":"192.0.2.0/24"},{"value":"2001:db8::1"},{"value":"80"},{"value":"?"},{"value":"xn--bcher-kva.example"},
		{"value":"zip"}]`, string(got))
}
