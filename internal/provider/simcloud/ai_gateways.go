package simcloud

const canaryTraceHeader = "leakcanary-trace-header"

// makeGateways generates AI gateways, see https://developers.cloudflare.com/api/resources/ai_gateway/.
func (a *account) makeGateways() {
	if a.spec.Workers < 0 || a.spec.Plain {
		return
	}
	a.addGateway("support")
	spend := a.addGateway("search")
	spend["rate_limiting_limit"], spend["guardrails"] = 0, nil
	spend["spend_limits"] = obj{"enabled": true, "rules": []obj{{"limit": 50, "limitType": "cost", "window": 86400}}}
	spend["dlp"] = obj{"enabled": true, "action": "BLOCK", "profiles": []string{a.next("profile").uuid()}}
	spend["logpush"] = true
}

// addGateway appends a gateway with rate limiting, guardrails and logging.
func (a *account) addGateway(id string) obj {
	g := obj{
		"id": id, "authentication": true, "cache_ttl": 0,
		"cache_invalidate_on_update": false,
		"rate_limiting_limit":        100, "rate_limiting_interval": 60, "rate_limiting_technique": "fixed", "collect_logs": true,
		"log_management": 10000, "log_management_strategy": "DELETE_OLDEST",
		"logpush": false, "logpush_public_key": nil, "zdr": false, "is_default": false, "spend_limits": obj{"enabled": false,
			"rules": []obj{}},
		"dlp": obj{"enabled": false}, "guardrails": obj{"prompt": obj{"S1": "BLOCK"}, "response": obj{}},
		"otel":   []obj{{"url": "https://traces.test", "headers": obj{"x-key": canaryTraceHeader}, "authorization": canaryTraceHeader}},
		"stripe": obj{"authorization": canaryTraceHeader}, "created_at": a.cloud.ago(40 * day), "modified_at": a.cloud.ago(40 * day),
	}
	a.gateways = append(a.gateways, g)
	return g
}

func listGateways(c *call) answer { return listOf(c, c.acct.gateways) }
