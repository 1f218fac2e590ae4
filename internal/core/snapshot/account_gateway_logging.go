package snapshot

// GatewayLogging says what Gateway logs.
const GatewayLogging Key[GatewayLog] = "account/gateway_logging"

// GatewayLog says what Gateway logs; a nil depth was not returned.
type GatewayLog struct {
	RedactPII *bool     `json:"redact_pii,omitempty"`
	DNS       *LogDepth `json:"dns,omitempty"`
	HTTP      *LogDepth `json:"http,omitempty"`
	L4        *LogDepth `json:"l4,omitempty"`
}

// LogDepth says which decisions of a filter are logged.
type LogDepth struct {
	All    bool `json:"log_all"`
	Blocks bool `json:"log_blocks"`
}

type gatewayLoggingWire struct {
	RedactPII *bool `json:"redact_pii"`
	ByType    struct {
		DNS  *LogDepth `json:"dns"`
		HTTP *LogDepth `json:"http"`
		L4   *LogDepth `json:"l4"`
	} `json:"settings_by_rule_type"`
}

// accountGatewayLogging reads what Gateway logs; without rules Gateway makes no decisions to log
// (developers.cloudflare.com/api/resources/zero_trust/subresources/gateway/subresources/logging/methods/get/).
func accountGatewayLogging() Source {
	return object(GatewayLogging, Source{
		Path: "/accounts/{account_id}/gateway/logging", Permission: permissionZeroTrust,
		After: []string{GatewayRules.Source()},
		Skip:  firstOf(whenEmpty(GatewayRules, "Gateway has no rule"), gatewayUnused()),
		Example: `{"redact_pii":true,"settings_by_rule_type":{"dns":{"log_all":false,"log_blocks":true},"http":{"log_all":true,` +
			`"log_blocks":false},"l4":{"log_all":false,"log_blocks":true},"other":"drop"}}`,
	}, func(w gatewayLoggingWire) GatewayLog {
		return GatewayLog{RedactPII: w.RedactPII, DNS: w.ByType.DNS, HTTP: w.ByType.HTTP, L4: w.ByType.L4}
	})
}
