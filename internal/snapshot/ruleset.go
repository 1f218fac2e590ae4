package snapshot

// Ruleset sources. The lists tell which phases have an entry point; only those
// are read.
const (
	AccountRulesets      Key[[]RulesetInfo] = "account/rulesets"
	AccountRulesetCustom Key[Ruleset]       = "account/ruleset_custom" // scope: ruleset id
	AccountPhaseCustom   Key[Ruleset]       = "account/ruleset/http_request_firewall_custom"
	AccountPhaseManaged  Key[Ruleset]       = "account/ruleset/http_request_firewall_managed"
	AccountPhaseRate     Key[Ruleset]       = "account/ruleset/http_ratelimit"

	ZoneRulesets      Key[[]RulesetInfo] = "zone/rulesets"
	ZonePhaseCustom   Key[Ruleset]       = "zone/ruleset/http_request_firewall_custom"
	ZonePhaseManaged  Key[Ruleset]       = "zone/ruleset/http_request_firewall_managed"
	ZonePhaseRate     Key[Ruleset]       = "zone/ruleset/http_ratelimit"
	ZonePhaseRedirect Key[Ruleset]       = "zone/ruleset/http_request_dynamic_redirect"
	ZonePhaseResponse Key[Ruleset]       = "zone/ruleset/http_response_headers_transform"
)

// ManagedRulesetID is the provider's managed ruleset.
// Source: developers.cloudflare.com/waf/managed-rules/reference/cloudflare-managed-ruleset/
const ManagedRulesetID = "efb7b8c949ac4650a09736fc376e9aee"

// RulesetInfo is a row of a ruleset list. Kind zone or root is an entry point;
// kind managed is the provider's own and says nothing about deployment.
type RulesetInfo struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Phase string `json:"phase"`
	Name  string `json:"name"`
}

// SortKey orders rulesets by id.
func (r RulesetInfo) SortKey() string { return r.ID }

// Ruleset is an entry point or custom ruleset with its rules in order.
type Ruleset struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Phase string `json:"phase"`
	Rules []Rule `json:"rules"`
}

// Rule is one rule; Params holds what the checks and the plan need of its
// action parameters.
type Rule struct {
	ID          string     `json:"id"`
	Ref         string     `json:"ref,omitempty"`
	Enabled     bool       `json:"enabled"`
	Action      string     `json:"action"`
	Expression  string     `json:"expression"`
	Description string     `json:"description,omitempty"`
	Params      RuleParams `json:"params"`
}

// RuleParams are the action parameters that matter for posture.
type RuleParams struct {
	ExecuteID   string              `json:"id,omitempty"`       // execute: the ruleset that runs
	Ruleset     string              `json:"ruleset,omitempty"`  // skip: "current"
	Rulesets    []string            `json:"rulesets,omitempty"` // skip
	Phases      []string            `json:"phases,omitempty"`   // skip
	Products    []string            `json:"products,omitempty"` // skip
	Headers     map[string]HeaderOp `json:"headers,omitempty"`  // rewrite
	RedirectTo  string              `json:"redirect,omitempty"` // redirect: value or expression of target_url
	RedirectRaw bool                `json:"redirect_expression,omitempty"`
	StatusCode  int                 `json:"status_code,omitempty"`
	Overrides   *Overrides          `json:"overrides,omitempty"` // execute
}

// HeaderOp sets, adds or removes a header.
type HeaderOp struct {
	Operation string `json:"operation"`
	Value     string `json:"value,omitempty"`
	Dynamic   bool   `json:"dynamic,omitempty"`
}

// Overrides change a deployed managed ruleset.
type Overrides struct {
	Action  string         `json:"action,omitempty"`
	Enabled *bool          `json:"enabled,omitempty"`
	Rules   []RuleOverride `json:"rules,omitempty"`
}

// RuleOverride changes one managed rule.
type RuleOverride struct {
	ID      string `json:"id"`
	Action  string `json:"action,omitempty"`
	Enabled *bool  `json:"enabled,omitempty"`
}
