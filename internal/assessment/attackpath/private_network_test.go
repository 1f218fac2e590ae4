package attackpath_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestPrivateNetworks: a network is open by itself, whatever holds another one, and held if its parts are.
func TestPrivateNetworks(t *testing.T) {
	block := func(within string) netRule { return netRule{action: "block", filter: "l4", within: within} }
	held := func(within string) snapshot.AccessDestination {
		return snapshot.AccessDestination{Type: "private", Value: within}
	}
	for _, c := range []struct {
		name    string
		network string
		rules   []netRule
		held    []snapshot.AccessDestination
		want    []string
	}{
		{"one of two is blocked", "10.1.0.0/16", []netRule{block("10.2.0.0/16")}, nil, []string{"10.1.0.0/16"}},
		{"one of two is held", "10.1.0.0/16", nil, []snapshot.AccessDestination{held("10.1.0.0/16")}, []string{"10.2.0.0/16"}},
		{"half of one is blocked", "10.1.0.0/16", []netRule{block("10.1.0.0/17")}, nil, []string{"10.2.0.0/16"}},
		{"one cannot be read", "office", nil, nil, []string{"10.2.0.0/16"}},
		{"a single address is blocked", "10.1.5.5", []netRule{block("10.0.0.0/8")}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := people{enforced: true, enrol: []snapshot.AccessPolicy{}, logins: []string{"azureAD"}, rules: c.rules, held: c.held,
				routes: []snapshot.PrivateRoute{{ID: "r1", Network: c.network, TunnelID: tunnelA},
					{ID: "r2", Network: "10.2.0.0/16", TunnelID: tunnelA}}}
			var got []string
			for _, p := range a.paths(t) {
				got = append(got, strings.TrimPrefix(p.TargetNodeID, "origin:"))
			}
			require.Equal(t, c.want, got)
		})
	}
	halves := people{enforced: true, enrol: anyone, logins: []string{"onetimepin"},
		held:   []snapshot.AccessDestination{held("10.1.0.0/17"), held("10.1.128.0/17")},
		routes: []snapshot.PrivateRoute{{ID: "r1", Network: "10.1.0.0/16", TunnelID: tunnelA}}}
	require.Empty(t, halves.paths(t), "two applications hold a half each")
}

var anyone = []snapshot.AccessPolicy{{ID: "e0", Decision: "allow", Include: []snapshot.AccessRule{{Kind: "everyone"}}}}
