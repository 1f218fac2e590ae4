package oidc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// okta are the variables of one provider, with others after them.
func okta(more ...string) []string {
	return append([]string{"SERVICE_OIDC_OKTA_ISSUER=https://example.okta.com", "SERVICE_OIDC_OKTA_CLIENT_ID=0oa1", "PATH=/bin",
		"SERVICE_OIDC_OKTA_CLIENT_SECRET=" + clientSecret + "\n", "SERVICE_OIDC_OKTA_ROLE_MAP=*=viewer"}, more...)
}

func TestConfigs(t *testing.T) {
	all, err := Configs([]string{"SERVICE_API_KEY=x", "SERVICE_OIDC_OKTA_ISSUER="})
	require.NoError(t, err)
	require.Empty(t, all)

	all, err = Configs(okta("SERVICE_OIDC_DEV_2_ISSUER=http://127.0.0.1:5556/dex", "SERVICE_OIDC_DEV_2_CLIENT_ID=a b",
		"SERVICE_OIDC_DEV_2_CLIENT_SECRET=s", "SERVICE_OIDC_DEV_2_SCOPES=profile,groups  openid groups",
		"SERVICE_OIDC_DEV_2_ROLE_CLAIM=realm_access.roles", "SERVICE_OIDC_DEV_2_ROLE_MAP=admins=administrator"))
	require.NoError(t, err)
	require.Equal(t, []Config{
		{Name: "dev-2", Issuer: "http://127.0.0.1:5556/dex", ClientID: "a b", ClientSecret: secret.New("s"),
			Scopes: []string{"openid", "profile", "groups"}, RoleClaim: "realm_access.roles",
			Rules: []Rule{{"admins", access.Grant{Role: "administrator"}}}},
		{Name: "okta", Issuer: "https://example.okta.com", ClientID: "0oa1", ClientSecret: secret.New(clientSecret),
			Scopes: []string{"openid", "profile", "email"}, RoleClaim: "groups", Rules: []Rule{{Everybody, access.Grant{Role: "viewer"}}}},
	}, all)
	require.NotContains(t, fmt.Sprintf("%+v %#v", all, all), clientSecret)
	require.Equal(t, "SERVICE_OIDC_DEV_2_ROLE_MAP", all[0].variable(roleMapSuffix))
}

// TestWrongVariables: one sentence names the variable, what is wrong and what would do.
func TestWrongVariables(t *testing.T) {
	for variable, says := range map[string]string{
		"SERVICE_OIDC_OKTA_CLIENTID=x":                                       "CLIENTID\" is not known; use SERVICE_OIDC_OKTA_CLIENT_ID",
		"SERVICE_OIDC_MY_OKTA_SCOPE=x":                                       "use SERVICE_OIDC_MY_OKTA_SCOPES",
		"SERVICE_OIDC_OKTA_SECRET=x":                                         "use SERVICE_OIDC_OKTA_CLIENT_SECRET",
		"SERVICE_OIDC_OKTA_ROLES_MAP=x":                                      "use SERVICE_OIDC_OKTA_ROLE_MAP",
		"SERVICE_OIDC_OKTA_ISUER=x":                                          "use SERVICE_OIDC_OKTA_ISSUER",
		"SERVICE_OIDC_ISSUER=x":                                              "is not known; use SERVICE_OIDC_OKTA_ISSUER",
		"SERVICE_OIDC_=x":                                                    "is not known; use SERVICE_OIDC_OKTA_ISSUER",
		"SERVICE_OIDC__ISSUER=x":                                             "names no provider",
		"SERVICE_OIDC_okta_ISSUER=x":                                         "names no provider",
		"SERVICE_OIDC_A-B_SCOPES=x":                                          "names no provider",
		"SERVICE_OIDC_" + strings.Repeat("A", 33) + "_SCOPES=x":              "names no provider; use 1 to 32",
		"SERVICE_OIDC_GOOGLE_ISSUER=https://x.example":                       "SERVICE_OIDC_GOOGLE_CLIENT_ID is unset",
		"SERVICE_OIDC_GOOGLE_CLIENT_ID=x":                                    "SERVICE_OIDC_GOOGLE_ISSUER is unset",
		"SERVICE_OIDC_OKTA_CLIENT_SECRET= ":                                  "",
		"SERVICE_OIDC_OKTA_ISSUER=example.okta.com":                          "ISSUER is not a plain https address",
		"SERVICE_OIDC_OKTA_ISSUER=https://":                                  "ISSUER is not a plain https address",
		"SERVICE_OIDC_OKTA_ISSUER=https://a:b@x.example":                     "ISSUER is not a plain https address",
		"SERVICE_OIDC_OKTA_ISSUER=https://x.example?a=b":                     "ISSUER is not a plain https address",
		"SERVICE_OIDC_OKTA_ISSUER=https://x.example#a":                       "ISSUER is not a plain https address",
		"SERVICE_OIDC_OKTA_ISSUER=http://x.example":                          "ISSUER does not begin with https://",
		"SERVICE_OIDC_OKTA_ISSUER=http://192.0.2.1":                          "ISSUER does not begin with https://",
		"SERVICE_OIDC_OKTA_ISSUER=ftp://localhost":                           "ISSUER does not begin with https://",
		"SERVICE_OIDC_OKTA_ISSUER=http://[::1]:80":                           "",
		"SERVICE_OIDC_OKTA_ISSUER=http://localhost":                          "",
		"SERVICE_OIDC_OKTA_CLIENT_ID=a\x01b":                                 "CLIENT_ID is longer than 200",
		"SERVICE_OIDC_OKTA_ROLE_CLAIM=" + strings.Repeat("x", 201):           "ROLE_CLAIM is longer than 200",
		"SERVICE_OIDC_OKTA_SCOPES=openid \"email":                            `SCOPES has the scope "\"email"`,
		"SERVICE_OIDC_OKTA_SCOPES=,":                                         "",
		"SERVICE_OIDC_OKTA_ROLE_MAP=;\n ;":                                   "ROLE_MAP has no entry; write group=role",
		"SERVICE_OIDC_OKTA_ROLE_MAP=admins":                                  `ROLE_MAP has the entry "admins", which has no =`,
		"SERVICE_OIDC_OKTA_ROLE_MAP=admins=owner":                            "use viewer, analyst, operator, remediator or administrator",
		"SERVICE_OIDC_OKTA_ROLE_MAP=admins=Viewer":                           "whose role is not known",
		"SERVICE_OIDC_OKTA_ROLE_MAP==viewer":                                 "whose group is missing",
		"SERVICE_OIDC_OKTA_ROLE_MAP=a=viewer:":                               "an account or label is missing",
		"SERVICE_OIDC_OKTA_ROLE_MAP=a=viewer:x,,y":                           "an account or label is missing",
		"SERVICE_OIDC_OKTA_ROLE_MAP=a=viewer:label:":                         "an account or label is missing",
		"SERVICE_OIDC_OKTA_ROLE_MAP=" + strings.Repeat("g", 201) + "=viewer": "whose group is missing, longer than 200",
	} {
		_, err := Configs(okta(variable))
		if says == "" {
			require.NoError(t, err, variable)
			continue
		}
		require.ErrorContains(t, err, says, variable)
		require.Contains(t, err.Error(), "; ", variable)
		require.NotContains(t, err.Error(), "\n")
		require.NotContains(t, err.Error(), clientSecret)
		require.Less(t, len(err.Error()), 300)
	}
	for _, suffix := range []string{issuerSuffix, clientIDSuffix, clientSecretSuffix, roleMapSuffix} {
		var some []string
		for _, kv := range okta() {
			if !strings.HasPrefix(kv, "SERVICE_OIDC_OKTA"+suffix) {
				some = append(some, kv)
			}
		}
		_, err := Configs(some)
		require.ErrorContains(t, err, "SERVICE_OIDC_OKTA"+suffix+" is unset and another variable of okta is set")
	}
}

func TestRules(t *testing.T) {
	rules, err := parseRules(" Edge admins = administrator ;\r\n\nCN=ops,OU=it:x = operator : a1, Main account ,label:production,label: eu;" +
		"*=viewer;*=analyst:b")
	require.NoError(t, err)
	require.Equal(t, []Rule{
		{"Edge admins", access.Grant{Role: "administrator"}},
		{"CN=ops,OU=it:x", access.Grant{Role: "operator", Accounts: []string{"a1", "Main account"}, Labels: []string{"production", "eu"}}},
		{"*", access.Grant{Role: "viewer"}},
		{"*", access.Grant{Role: "analyst", Accounts: []string{"b"}}},
	}, rules)
}
