package snapshot

// AIGateways pass prompts to models.
const AIGateways Key[[]AIGateway] = "account/ai_gateways"

// AIGateway is one gateway. RateLimit is requests per RateInterval seconds, 0
// for none. A pointer is nil
// when the provider did not say.
type AIGateway struct {
	ID             string `json:"id"`
	Authentication bool   `json:"authentication"`
	RateLimit      int    `json:"rate_limiting_limit"`
	RateInterval   int    `json:"rate_limiting_interval"`
	SpendLimit     bool   `json:"spend_limit"`
	Guardrails     bool   `json:"guardrails"` // some category is blocked
	LossRules      bool   `json:"dlp"`        // some profile is blocked
	OnlyFlags      bool   `json:"only_flags,omitempty"`
	CollectLogs    *bool  `json:"collect_logs,omitempty"`
	Logpush        bool   `json:"logpush"`
	ZeroRetention  bool   `json:"zdr"`
}

// SortKey orders gateways by id.
func (g AIGateway) SortKey() string { return g.ID }
