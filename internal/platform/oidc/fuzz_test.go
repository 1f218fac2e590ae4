package oidc

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// FuzzRules reads any role map: what is read says the same when it is written down again, and no
// entry becomes wider than it was.
func FuzzRules(f *testing.F) {
	f.Add("admins=administrator;*=viewer")
	f.Add("CN=ops,OU=it=operator:a1,label:production\nx=analyst:label:y")
	f.Add("a=viewer:")
	f.Fuzz(func(t *testing.T, text string) {
		defer fuzztest.Bound(t)()
		rules, err := parseRules(text)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			require.Less(t, len(err.Error()), 500)
			return
		}
		var again []string
		for _, r := range rules {
			require.Contains(t, access.Roles(), r.Grant.Role)
			entry := r.Group + "=" + string(r.Grant.Role)
			scope := slices.Clone(r.Grant.Accounts)
			for _, l := range r.Grant.Labels {
				scope = append(scope, "label:"+l)
			}
			if len(scope) > 0 {
				entry += ":" + strings.Join(scope, ",")
			}
			again = append(again, entry)
		}
		require.LessOrEqual(t, len(rules), 1+strings.Count(text, ";")+strings.Count(text, "\n")+strings.Count(text, "\r"))
		second, err := parseRules(strings.Join(again, ";"))
		require.NoError(t, err)
		require.Equal(t, rules, second)
	})
}

// FuzzConfigs reads any variable beside those of a provider.
func FuzzConfigs(f *testing.F) {
	f.Add("OKTA_ISSUER", "http://x.example")
	f.Add("OKTA_CLIENTID", "x")
	f.Add("A_B_SCOPES", "openid,x y")
	f.Add(strings.Repeat("A_", 5000), "x")
	f.Fuzz(func(t *testing.T, rest, value string) {
		defer fuzztest.Bound(t)()
		all, err := Configs(okta(prefix + rest + "=" + value))
		if err != nil {
			require.Contains(t, err.Error(), prefix)
			require.NotContains(t, err.Error(), clientSecret)
			require.NotContains(t, err.Error(), "\n")
			require.Less(t, len(err.Error()), 600)
			return
		}
		require.Len(t, all, 1)
		require.Equal(t, "okta", all[0].Name)
		require.Contains(t, all[0].Scopes, "openid")
		u, err := url.Parse(all[0].Issuer)
		require.NoError(t, err)
		require.True(t, secure(u))
	})
}

// FuzzIdentity reads any claims of a token whose signature holds: every text that comes out is plain,
// and a grant is one of a rule whose group the claim has.
func FuzzIdentity(f *testing.F) {
	f.Add([]byte(`{"name":"Ada","email":"a@example.com","email_verified":true,"groups":["admins"]}`), "groups")
	f.Add([]byte(`{"a":{"b":{"c":"admins"}}}`), "a.b.c")
	f.Add([]byte(`{"groups":[1]}`), "groups")
	f.Add([]byte(`{"email":"admins","email_verified":false}`), "email")
	f.Fuzz(func(t *testing.T, b []byte, claim string) {
		defer fuzztest.Bound(t)()
		var claims map[string]any
		if json.Unmarshal(b, &claims) != nil {
			return
		}
		p := &Provider{config: Config{Name: "okta", RoleClaim: claim, Rules: []Rule{{"admins", access.Grant{Role: "administrator"}}}}}
		id, err := p.identify("ada", claims)
		if err != nil {
			refusedAs(t, failure(t, err).Kind, err, Flow{})
			require.Empty(t, id.Grants)
			return
		}
		require.Contains(t, string(b), "admins")
		require.Equal(t, []access.Grant{{Role: "administrator"}}, id.Grants)
		require.NotEmpty(t, id.Name)
		for _, text := range append(id.Groups, id.Name) {
			require.True(t, plain(text) && utf8.ValidString(text), "%q", text)
		}
		require.LessOrEqual(t, len(id.Groups), MaxGroups)
	})
}

// FuzzCallback: no query completes a flow but the one with its state, and nothing is sent for the others.
func FuzzCallback(f *testing.F) {
	provider := newFake(f)
	p := provider.provider(nil)
	flow, _ := provider.begin(f, p)
	f.Add("code=x&state=y")
	f.Add("error=access_denied&state=" + strings.Repeat("x", 43))
	f.Fuzz(func(t *testing.T, query string) {
		defer fuzztest.Bound(t)()
		values, _ := url.ParseQuery(query)
		if values.Get("state") == flow.State {
			return
		}
		_, err := p.Complete(t.Context(), flow, values)
		refusedAs(t, ErrFlow, err, flow)
		require.Zero(t, provider.requests("/token"))
	})
}
