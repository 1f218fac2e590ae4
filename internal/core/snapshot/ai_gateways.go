package snapshot

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// AIGateways holds the AI gateways.
const AIGateways Key[[]AIGateway] = "account/ai_gateways"

// AIGateway is one AI gateway. RateLimit is requests per RateInterval seconds, 0 for no limit. A
// pointer is nil when the provider does not return the setting.
type AIGateway struct {
	ID             string `json:"id"`
	Authentication *bool  `json:"authentication,omitempty"`
	RateLimit      int    `json:"rate_limiting_limit"`
	RateInterval   int    `json:"rate_limiting_interval"`
	SpendLimit     bool   `json:"spend_limit"`
	Guardrails     bool   `json:"guardrails"` // at least one category is blocked
	LossRules      bool   `json:"dlp"`        // at least one profile is blocked
	OnlyFlags      bool   `json:"only_flags,omitempty"`
	CollectLogs    *bool  `json:"collect_logs,omitempty"`
	Logpush        bool   `json:"logpush"`
	ZeroRetention  bool   `json:"zdr"`
	// PlainTraces are the hosts that receive traces over plain HTTP; WhenFull is what happens when
	// the log storage is full.
	PlainTraces []string `json:"plain_traces,omitempty"`
	WhenFull    string   `json:"log_management_strategy,omitempty"`
}

// SortKey orders gateways by id.
func (g AIGateway) SortKey() string { return g.ID }

type aiGatewayWire struct {
	ID             string          `json:"id"`
	Authentication *bool           `json:"authentication"`
	RateLimit      int             `json:"rate_limiting_limit"`
	RateInterval   int             `json:"rate_limiting_interval"`
	SpendLimits    spendLimitsWire `json:"spend_limits"`
	CollectLogs    *bool           `json:"collect_logs"`
	Logpush        bool            `json:"logpush"`
	ZeroRetention  bool            `json:"zdr"`
	WhenFull       string          `json:"log_management_strategy"`
	Traces         []struct {
		URL string `json:"url"`
	} `json:"otel"`
	// Guardrails holds the action for each category, for prompts and for responses: BLOCK or FLAG.
	Guardrails map[string]json.RawMessage `json:"guardrails"`
	LossRules  aiLossRulesWire            `json:"dlp"`
}

type spendLimitsWire struct {
	Enabled bool `json:"enabled"`
	Rules   []struct {
		Enabled *bool `json:"enabled"`
	} `json:"rules"`
}

// limits reports whether a limit is in force: the switch alone limits nothing when every rule is off.
func (w spendLimitsWire) limits() bool {
	on := w.Rules == nil
	for _, r := range w.Rules {
		on = on || onUnlessSaid(r.Enabled)
	}
	return w.Enabled && on
}

type aiLossRulesWire struct {
	aiLossRuleWire
	Policies []struct {
		aiLossRuleWire
		Check []string `json:"check"` // requests, responses, or both
	} `json:"policies"`
}

type aiLossRuleWire struct {
	Enabled  bool     `json:"enabled"`
	Action   string   `json:"action"`
	Profiles []string `json:"profiles"`
}

// looks reports whether a rule looks for anything: one with an empty list of profiles does not.
func (w aiLossRuleWire) looks() bool { return w.Enabled && (w.Profiles == nil || len(w.Profiles) > 0) }

// actions lists the actions on what the gateway detects.
func (w aiGatewayWire) actions() (guardrails, lossRules []string) {
	for _, rules := range w.Guardrails {
		var of map[string]string
		_ = json.Unmarshal(rules, &of) // other forms guard nothing
		for _, action := range of {
			guardrails = append(guardrails, action)
		}
	}
	if w.LossRules.looks() {
		lossRules = append(lossRules, w.LossRules.Action)
	}
	for _, p := range w.LossRules.Policies {
		if w.LossRules.Enabled && p.looks() && (p.Check == nil || len(p.Check) > 0) {
			lossRules = append(lossRules, p.Action)
		}
	}
	return guardrails, lossRules
}

// aiGateways lists the AI gateways; of their trace destinations only the hosts of unencrypted ones
// are kept, of credentials nothing
// (developers.cloudflare.com/api/resources/ai_gateway/methods/list/).
func aiGateways() Source {
	return list(AIGateways, Source{
		Path: "/accounts/{account_id}/ai-gateway/gateways", Paging: Paging{Kind: ByPage, Size: 100}, Permission: "Account: AI Gateway Read",
		Example: `[{"id":"support","authentication":true,"rate_limiting_limit":100,"rate_limiting_interval":60,` +
			`"spend_limits":{"enabled":false},"collect_logs":true,"logpush":false,"zdr":false,` +
			`"log_management_strategy":"DELETE_OLDEST","guardrails":{"prompt":{"S1":"BLOCK"}},"dlp":{"enabled":false},` +
			`"otel":[{"url":"https://drop.example","headers":{"x":"drop"},` +
			`"authorization":"drop"}],"stripe":{"authorization":"drop"}}]`,
	}, reduceAIGateway)
}

func reduceAIGateway(w aiGatewayWire) AIGateway {
	g := AIGateway{ID: w.ID, Authentication: w.Authentication, RateLimit: w.RateLimit, RateInterval: w.RateInterval,
		SpendLimit: w.SpendLimits.limits(), CollectLogs: w.CollectLogs, Logpush: w.Logpush, ZeroRetention: w.ZeroRetention, WhenFull: w.WhenFull}
	guardrails, lossRules := w.actions()
	g.Guardrails, g.LossRules = slices.Contains(guardrails, "BLOCK"), slices.Contains(lossRules, "BLOCK")
	g.OnlyFlags = !g.Guardrails && !g.LossRules && slices.Contains(slices.Concat(guardrails, lossRules), "FLAG")
	for _, to := range w.Traces {
		if u, err := url.Parse(strings.TrimSpace(to.URL)); err == nil && strings.EqualFold(u.Scheme, "http") {
			g.PlainTraces = append(g.PlainTraces, strings.ToLower(u.Hostname()))
		}
	}
	return g
}
