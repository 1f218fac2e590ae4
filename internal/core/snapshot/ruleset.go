package snapshot

import "cmp"

// Ruleset sources. The lists show which phases have an entrypoint ruleset; only those are read.
const (
	AccountRulesets      Key[[]RulesetInfo] = "account/rulesets"
	AccountRulesetCustom Key[Ruleset]       = "account/ruleset_custom" // scope: ruleset id
	AccountPhaseCustom   Key[Ruleset]       = "account/ruleset/http_request_firewall_custom"
	AccountPhaseManaged  Key[Ruleset]       = "account/ruleset/http_request_firewall_managed"
	AccountPhaseRate     Key[Ruleset]       = "account/ruleset/http_ratelimit"
	AccountPhaseRedirect Key[Ruleset]       = "account/ruleset/http_request_redirect"
	AccountPhaseDDoSL4   Key[Ruleset]       = "account/ruleset/ddos_l4"
	AccountPhaseDDoSL7   Key[Ruleset]       = "account/ruleset/ddos_l7"

	ZoneRulesets      Key[[]RulesetInfo] = "zone/rulesets"
	ZonePhaseCustom   Key[Ruleset]       = "zone/ruleset/http_request_firewall_custom"
	ZonePhaseManaged  Key[Ruleset]       = "zone/ruleset/http_request_firewall_managed"
	ZonePhaseRate     Key[Ruleset]       = "zone/ruleset/http_ratelimit"
	ZonePhaseRedirect Key[Ruleset]       = "zone/ruleset/http_request_dynamic_redirect"
	ZonePhaseResponse Key[Ruleset]       = "zone/ruleset/http_response_headers_transform"
	ZonePhaseRequest  Key[Ruleset]       = "zone/ruleset/http_request_late_transform"
	ZonePhaseLeaks    Key[Ruleset]       = "zone/ruleset/http_response_firewall_managed"
	ZonePhaseConfig   Key[Ruleset]       = "zone/ruleset/http_config_settings"
	ZonePhaseOrigin   Key[Ruleset]       = "zone/ruleset/http_request_origin"
	ZonePhaseDDoS     Key[Ruleset]       = "zone/ruleset/ddos_l7"
)

// ManagedRulesetID is the provider's managed ruleset.
// Source: developers.cloudflare.com/waf/managed-rules/reference/cloudflare-managed-ruleset/.
const ManagedRulesetID = "efb7b8c949ac4650a09736fc376e9aee"

// SensitiveDataRulesetID is the managed ruleset that detects sensitive data in responses. Source:
// developers.cloudflare.com/waf/managed-rules/reference/sensitive-data-detection/.
const SensitiveDataRulesetID = "e22d83c647c64a3eae91b71b499d988e"

// OWASPRulesetID is the OWASP core ruleset, OWASPScoreRuleID its rule that acts on the total score.
// Source: developers.cloudflare.com/waf/managed-rules/reference/owasp-core-ruleset/.
const (
	OWASPRulesetID   = "4814384a9e5d4991b9815dcfc25d2f1f"
	OWASPScoreRuleID = "6179ae15870a4bb7b2d480d4843b323c"
)

// RulesetInfo is a row of a ruleset list. Kind zone or root is an entrypoint; kind managed is the
// provider's own and says nothing about deployment.
type RulesetInfo struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Phase string `json:"phase"`
	Name  string `json:"name"`
}

// SortKey orders rulesets by id.
func (r RulesetInfo) SortKey() string { return r.ID }

// Ruleset is an entrypoint or custom ruleset with its rules in order.
type Ruleset struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Phase string `json:"phase"`
	Rules []Rule `json:"rules"`
}

// Rule is one rule; Params holds the parts of its action parameters that checks and the planner
// need.
type Rule struct {
	ID          string     `json:"id"`
	Ref         string     `json:"ref,omitempty"`
	Enabled     bool       `json:"enabled"`
	Action      string     `json:"action"`
	Expression  string     `json:"expression"`
	Description string     `json:"description,omitempty"`
	LastUpdated Time       `json:"last_updated,omitzero"`
	Params      RuleParams `json:"params"`
	Limit       *RateLimit `json:"ratelimit,omitempty"` // rules of the phase http_ratelimit
}

// RateLimit says when a rate limiting rule acts: after more than Requests (or a complexity score of
// more than Score) in Period seconds by requests that share the characteristics, for Mitigation
// seconds (developers.cloudflare.com/waf/rate-limiting-rules/parameters/).
type RateLimit struct {
	Characteristics []string `json:"characteristics,omitempty"`
	Period          int      `json:"period"`
	Requests        int      `json:"requests_per_period,omitempty"`
	Mitigation      int      `json:"mitigation_timeout,omitempty"`
	Score           int      `json:"score_per_period,omitempty"`
	Counting        string   `json:"counting_expression,omitempty"`
	ToOrigin        bool     `json:"requests_to_origin,omitempty"`
}

// InReach reports whether a single visitor may reach the limit: up to 100 requests per second. A
// rule whose threshold is not known counts.
func (l *RateLimit) InReach() bool {
	return l == nil || l.Requests == 0 || l.Period == 0 || l.Requests <= 100*l.Period
}

// Name returns the description of a rule, or its id.
func (r Rule) Name() string { return cmp.Or(r.Description, r.ID) }

// RuleParams are the action parameters that matter for posture.
type RuleParams struct {
	ExecuteID   string              `json:"id,omitempty"`       // execute: the ruleset that runs
	Ruleset     string              `json:"ruleset,omitempty"`  // skip: "current"
	Phase       string              `json:"phase,omitempty"`    // skip: "current"
	Rulesets    []string            `json:"rulesets,omitempty"` // skip
	Phases      []string            `json:"phases,omitempty"`   // skip
	Products    []string            `json:"products,omitempty"` // skip
	Rules       map[string][]string `json:"rules,omitempty"`    // skip: managed ruleset id → rule ids
	Headers     map[string]HeaderOp `json:"headers,omitempty"`  // rewrite
	RedirectTo  string              `json:"redirect,omitempty"` // redirect: value or expression of target_url
	RedirectRaw bool                `json:"redirect_expression,omitempty"`
	FromList    string              `json:"from_list,omitempty"` // redirect: the list of a bulk redirect
	StatusCode  int                 `json:"status_code,omitempty"`
	Overrides   *Overrides          `json:"overrides,omitempty"` // execute
	Config      *ConfigParams       `json:"config,omitempty"`    // set_config
	Origin      *OriginParams       `json:"origin,omitempty"`    // route
	Cache       *CacheParams        `json:"cache,omitempty"`     // set_cache_settings
	Lasts       string              `json:"lasts,omitempty"`     // set_cache_settings that leave open what is eligible: edge_ttl.mode
}

// RestOfPhase reports whether a skip rule skips all later rules of its own phase.
func (p RuleParams) RestOfPhase() bool { return p.Phase == "current" }

// HeaderOp sets, adds or removes a header. Request header values may be secret, so only the parts
// below are kept.
type HeaderOp struct {
	Operation string `json:"operation"`
	Value     string `json:"value,omitempty"`
	Dynamic   bool   `json:"dynamic,omitempty"`
	// Reads lists the fields and functions a computed value uses, sorted and separated by spaces; a
	// request header with its name, as in http.request.headers[x-user].
	Reads string `json:"reads,omitempty"`
	// Plain is set when a fixed value is easy to guess, such as true.
	Plain bool `json:"plain,omitempty"`
}

// Overrides change a deployed managed ruleset.
type Overrides struct {
	Action      string             `json:"action,omitempty"`
	Enabled     *bool              `json:"enabled,omitempty"`
	Sensitivity string             `json:"sensitivity_level,omitempty"`
	Categories  []CategoryOverride `json:"categories,omitempty"`
	Rules       []RuleOverride     `json:"rules,omitempty"`
}

// CategoryOverride changes the managed rules of one category.
type CategoryOverride struct {
	Category    string `json:"category"`
	Action      string `json:"action,omitempty"`
	Enabled     *bool  `json:"enabled,omitempty"`
	Sensitivity string `json:"sensitivity_level,omitempty"`
}

// RuleOverride changes one managed rule.
type RuleOverride struct {
	ID             string `json:"id"`
	Action         string `json:"action,omitempty"`
	Enabled        *bool  `json:"enabled,omitempty"`
	Sensitivity    string `json:"sensitivity_level,omitempty"`
	ScoreThreshold int    `json:"score_threshold,omitempty"`
}

// ConfigParams are the settings that a configuration rule changes; absent ones keep their value.
type ConfigParams struct {
	SSL                     string `json:"ssl,omitempty"`
	SecurityLevel           string `json:"security_level,omitempty"`
	BrowserCheck            *bool  `json:"bic,omitempty"`
	AutomaticHTTPSRewrites  *bool  `json:"automatic_https_rewrites,omitempty"`
	EmailObfuscation        *bool  `json:"email_obfuscation,omitempty"`
	HotlinkProtection       *bool  `json:"hotlink_protection,omitempty"`
	OpportunisticEncryption *bool  `json:"opportunistic_encryption,omitempty"`
}

// OriginParams say where an origin rule sends requests instead.
type OriginParams struct {
	HostHeader string `json:"host_header,omitempty"`
	Resolve    string `json:"resolve,omitempty"` // host whose address is used
	SNI        string `json:"sni,omitempty"`
}

// CacheParams are the parts of a cache rule that matter for posture. EdgeMode is edge_ttl.mode,
// empty when the rule does not set the lifetime of cached copies.
type CacheParams struct {
	Eligible bool   `json:"cache"`
	EdgeMode string `json:"edge_mode,omitempty"`
	Armor    bool   `json:"cache_deception_armor"`
}
