package snapshot

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAnAIGatewayDoesWithWhatItFinds(t *testing.T) {
	type seen struct{ guardrails, lossRules, onlyFlags bool }
	for text, want := range map[string]seen{
		`{"guardrails":{"prompt":{"S1":"BLOCK"},"response":{"S1":"FLAG"}}}`:                      {guardrails: true},
		`{"guardrails":{"prompt":{"S1":"FLAG"}}}`:                                                {onlyFlags: true},
		`{"guardrails":{"prompt":{}}}`:                                                           {},
		`{"guardrails":null}`:                                                                    {},
		`{"dlp":{"enabled":true,"action":"BLOCK","profiles":["p"]}}`:                             {lossRules: true},
		`{"dlp":{"enabled":false,"action":"BLOCK"}}`:                                             {},
		`{"dlp":{"enabled":true,"policies":[{"enabled":true,"action":"BLOCK"}]}}`:                {lossRules: true},
		`{"dlp":{"enabled":true,"policies":[{"enabled":false,"action":"BLOCK"}]}}`:               {},
		`{"dlp":{"enabled":true,"action":"FLAG"}}`:                                               {onlyFlags: true},
		`{"dlp":{"enabled":true,"action":"FLAG"},"guardrails":{"response":{"S2":"BLOCK"}}}`:      {guardrails: true},
		`{"dlp":{"enabled":true,"policies":[{"enabled":true,"action":"FLAG"}]},"guardrails":{}}`: {onlyFlags: true},
	} {
		var w aiGatewayWire
		require.NoError(t, json.Unmarshal([]byte(text), &w), text)
		g := reduceAIGateway(w)
		require.Equal(t, want, seen{g.Guardrails, g.LossRules, g.OnlyFlags}, text)
	}
}

func TestPoliciesThatLetAnyScriptRun(t *testing.T) {
	for policy, want := range map[string]bool{
		"script-src 'self' https://cdn.example":                false,
		"default-src 'none'; script-src https:":                true,
		"script-src *":                                         true,
		"default-src *; script-src 'self'":                     false,
		"default-src 'self'":                                   false,
		"DEFAULT-SRC *":                                        true,
		"img-src 'self'":                                       true,
		"script-src 'self' data:":                              true,
		"script-src 'nonce-abc' 'strict-dynamic' https: http:": false,
		"script-src *.shop.example":                            false,
		"; ;script-src 'self';":                                false,
	} {
		require.Equal(t, want, anyScript(policy), policy)
	}
}
