package setting

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// credentials lists the keys that belong to an address.
func credentials() (out []Definition) {
	for _, d := range Definitions() {
		if d.For != "" {
			out = append(out, d)
		}
	}
	return out
}

// TestCredentialsStayWithTheirOrigin saves, moves, clears and mixes addresses
// and credentials from both sources, and asks for each from several addresses.
func TestCredentialsStayWithTheirOrigin(t *testing.T) {
	const good, other = "https://good.example:9200/a", "https://other.example:9200/a"
	type m = map[string]any
	for _, d := range credentials() {
		value, _ := sample(d)
		key, address := string(d.Key), string(d.For)
		env := func(k Key, v string) Environment { return Environment{k: secret.New(v)} }
		// What is saved before its address is bound by the first one, unless it has had one all along.
		first := []string{good}
		if def := defaultOf(d.For).Reveal(); def != "" {
			first = []string{def}
		}
		both := Environment{d.Key: secret.New(value), d.For: secret.New(good)}
		for name, tc := range map[string]struct {
			env     Environment
			changes []m
			given   []string
			refused []string
		}{
			"together": {nil, []m{{key: value, address: good}}, []string{good, "https://GOOD.example:9200/other?x=y"},
				[]string{other, "http://good.example:9200/a", "https://good.example/a", "https://good.example.evil.example:9200",
					"https://good.example:9200@evil.example/"}},
			"address first":    {nil, []m{{address: good}, {key: value}}, []string{good}, []string{other}},
			"credential first": {nil, []m{{key: value}, {address: good}, {address: other}}, first, []string{other}},
			"no address":       {nil, []m{{key: value}}, nil, []string{good}},
			"address moves":    {nil, []m{{key: value, address: good}, {address: other}}, []string{good}, []string{other}},
			"address is cleared": {nil, []m{{key: value, address: good}, {address: ""}, {address: other}}, []string{good},
				[]string{other}},
			"saved again with the new one": {nil, []m{{key: value, address: good}, {key: value, address: other}}, []string{other},
				[]string{good}},
			"address of the environment":        {env(d.For, good), []m{{key: value}}, []string{good}, []string{other}},
			"address of the environment masked": {env(d.For, good), []m{{key: value}, {address: other}}, []string{good}, []string{other}},
			"all of the environment":            {both, nil, []string{good}, []string{other}},
			"environment and a saved address":   {both, []m{{address: other}}, []string{good}, []string{other}},
			"environment without an address":    {env(d.Key, value), []m{{address: other}}, nil, []string{other, good}},
			"another setting changes":           {nil, []m{{key: value, address: good}, {"aiModel": "x"}}, []string{good}, []string{other}},
		} {
			t.Run(key+"/"+name, func(t *testing.T) {
				o := overlay(t, tc.env)
				for _, c := range tc.changes {
					_, err := put(t, o, c)
					require.NoError(t, err)
				}
				v, err := o.Read(t.Context())
				require.NoError(t, err)
				for _, url := range tc.given {
					got, err := v.Credential(d.Key, url)
					require.NoError(t, err, url)
					require.Equal(t, value, got.Reveal(), url)
				}
				for _, url := range append(tc.refused, "", "not an address") {
					got, err := v.Credential(d.Key, url)
					require.True(t, got.IsZero(), url)
					p := problemOf(t, err)
					require.Equal(t, posture.CodeOutboundDenied, p.Code, url)
					require.NotContains(t, p.Detail, "good.example", url)
				}
			})
		}
	}
}

func TestCredentialsThatAreNot(t *testing.T) {
	v, err := overlay(t, nil).Read(t.Context())
	require.NoError(t, err)
	got, err := v.Credential(HECToken, "https://good.example")
	require.NoError(t, err, "none is configured, none is refused")
	require.True(t, got.IsZero())
	for _, k := range []Key{AIModel, HostedAAPIKey, "webhookUrl", "odd"} {
		_, err := v.Credential(k, "https://good.example")
		require.ErrorContains(t, err, "belongs to no address")
	}
}
