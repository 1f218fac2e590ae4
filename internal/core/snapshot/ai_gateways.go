package snapshot

import (
	"encoding/json"
)

type aiGatewayWire struct {
	ID             string `json:"id"`
	Authentication bool   `json:"authentication"`
	RateLimit      int    `json:"rate_limiting_limit"`
	RateInterval   int    `json:"rate_limiting_interval"`
	SpendLimits    struct {
		Enabled bool `json:"enabled"`
	} `json:"spend_limits"`
	CollectLogs   *bool                      `json:"collect_logs"`
	Logpush       bool                       `json:"logpush"`
	ZeroRetention bool                       `json:"zdr"`
	Guardrails    map[string]json.RawMessage `json:"guardrails"`
	LossRules     struct {
		Enabled bool `json:"enabled"`
	} `json:"dlp"`
}

// aiGateways lists the gateways to models; the addresses and credentials they
// send traces and bills to are never looked at
// (developers.cloudflare.com/api/resources/ai_gateway/methods/list/).
func aiGateways() Source {
	return list(AIGateways, Source{
		Path: "/accounts/{account_id}/ai-gateway/gateways", Paging: Paging{Kind: ByPage, Size: 100}, Permission: "Account: AI Gateway Read",
		Example: `[{"id":"support","authentication":true,"rate_limiting_limit":100,"rate_limiting_interval":60,` +
			`"spend_limits":{"enabled":false},"collect_logs":true,"logpush":false,"zdr":false,` +
			`"guardrails":{"prompt":{"S1":"BLOCK"}},"dlp":{"enabled":false},"otel":[{"url":"https://drop.example","headers":{"x":"drop"},` +
			`"authorization":"drop"}],"stripe":{"authorization":"drop"}}]`,
	}, func(w aiGatewayWire) AIGateway {
		g := AIGateway{ID: w.ID, Authentication: w.Authentication, RateLimit: w.RateLimit, RateInterval: w.RateInterval,
			SpendLimit: w.SpendLimits.Enabled, LossRules: w.LossRules.Enabled, CollectLogs: w.CollectLogs, Logpush: w.Logpush,
			ZeroRetention: w.ZeroRetention}
		for _, rules := range w.Guardrails {
			// An empty set of rules guards nothing.
			if text := string(rules); text != "null" && text != "{}" && text != "false" {
				g.Guardrails = true
			}
		}
		return g
	})
}
