package snapshot

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPoliciesComeInTheirOrder: which policy decides hangs on the order, and the list of the API promises none.
func TestPoliciesComeInTheirOrder(t *testing.T) {
	for text, want := range map[string]string{
		`[{"id":"c","precedence":3},{"id":"a","precedence":1},{"id":"b","precedence":2}]`: "abc",
		`[{"id":"c"},{"id":"a"},{"id":"b"}]`:                                              "cab",
		`[{"id":"b","precedence":2},{"id":"a","precedence":2},{"id":"c","precedence":1}]`: "cba",
		`null`: "",
	} {
		var w accessAppWire
		require.NoError(t, json.Unmarshal([]byte(`{"policies":`+text+`}`), &w))
		order := ""
		for _, p := range reduceAccessApp(w).Policies {
			order += p.ID
		}
		require.Equal(t, want, order)
	}
}

// TestOriginsThatEverySiteHas: what the list of allowed origins says counts as much as the switch for all of them.
func TestOriginsThatEverySiteHas(t *testing.T) {
	for text, want := range map[string]bool{
		`{"allow_all_origins":true}`:                           true,
		`{"allowed_origins":["*"],"allow_credentials":true}`:   true,
		`{"allowed_origins":["https://*"]}`:                    true,
		`{"allowed_origins":["https://a.example","null"]}`:     true,
		`{"allowed_origins":["https://*.a.example"]}`:          false,
		`{"allowed_origins":["https://a.example"]}`:            false,
		`{"allow_all_origins":false,"allow_credentials":true}`: false,
	} {
		var w accessAppWire
		require.NoError(t, json.Unmarshal([]byte(`{"cors_headers":`+text+`}`), &w))
		require.Equal(t, want, reduceAccessApp(w).CORS.AllowAllOrigins, text)
	}
	require.Nil(t, reduceAccessApp(accessAppWire{}).CORS)
}

// TestRulesThatDiffer: two rules with other values never look the same, and what names a person leaves no mark.
func TestRulesThatDiffer(t *testing.T) {
	reduce := func(text string) AccessRule {
		var m []map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte("["+text+"]"), &m))
		return reduceAccessRules(m)[0]
	}
	for _, pair := range [][2]string{
		{`{"saml":{"attribute_name":"group","attribute_value":"staff"}}`, `{"saml":{"attribute_name":"group","attribute_value":"leavers"}}`},
		{`{"oidc":{"claim_name":"group","claim_value":"staff"}}`, `{"oidc":{"claim_name":"group","claim_value":"leavers"}}`},
		{`{"external_evaluation":{"evaluate_url":"https://a.example"}}`, `{"external_evaluation":{"evaluate_url":"https://b.example"}}`},
		{`{"linked_app_token":{"app_uid":"a"}}`, `{"linked_app_token":{"app_uid":"b"}}`},
		{`{"github-organization":{"name":"acme","team":"core"}}`, `{"github-organization":{"name":"acme","team":"interns"}}`},
		{`{"github-organization":{"name":"acme"}}`, `{"github-organization":{"name":"acme","identity_provider_id":"i"}}`},
		{`{"user_risk_score":{"user_risk_score":["high"]}}`, `{"user_risk_score":{"user_risk_score":["low","medium"]}}`},
	} {
		require.NotEqual(t, reduce(pair[0]), reduce(pair[1]))
	}
	require.Equal(t, AccessRule{Kind: "user_risk_score", Value: "low,medium"},
		reduce(`{"user_risk_score":{"user_risk_score":["medium","low"]}}`))
	require.Equal(t, AccessRule{Kind: "saml"}, reduce(`{"saml":{"attribute_name":"mail","attribute_value":"ann@acme.example"}}`))
	require.Equal(t, AccessRule{Kind: "everyone"}, reduce(`{"everyone":{}}`))
	require.Equal(t, reduce(`{"oidc":{"claim_name":"1","claim_value":"2"}}`), reduce(`{"oidc":{"claim_value":2,"claim_name":"1","new":{}}}`))
}

// TestFactorThatNothingDemands: every member of mfa_config is optional, so an empty one leaves the organisation to decide.
func TestFactorThatNothingDemands(t *testing.T) {
	for text, want := range map[string]*AccessMFA{
		`null`:                  nil,
		`{}`:                    nil,
		`{"mfa_disabled":null}`: nil,
		`{"session_duration":"24h","allowed_authenticators":[]}`: nil,
		`{"mfa_disabled":true}`:                                  {Disabled: true},
		`{"mfa_disabled":false}`:                                 {},
		`{"allowed_authenticators":["totp"]}`:                    {},
	} {
		var w accessAppWire
		require.NoError(t, json.Unmarshal([]byte(`{"mfa_config":`+text+`,"policies":[{"id":"p","mfa_config":`+text+`}]}`), &w))
		a := reduceAccessApp(w)
		require.Equal(t, want, a.MFA, text)
		require.Equal(t, want, a.Policies[0].MFA, text)
	}
}
