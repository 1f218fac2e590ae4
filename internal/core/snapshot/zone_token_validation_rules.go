package snapshot

import (
	"regexp"
	"slices"
)

// ZoneTokenRules holds the rules that validate session tokens.
const ZoneTokenRules Key[[]TokenValidationRule] = "zone/token_validation_rules"

// TokenValidationRule validates session tokens at the edge.
type TokenValidationRule struct {
	ID      string `json:"id"`
	Action  string `json:"action"`
	Enabled bool   `json:"enabled"`
	// Hosts are the hosts the rule applies to; none means all. Excluded are the ids of saved
	// operations that it leaves out.
	Hosts    []string `json:"hosts,omitempty"`
	Excluded []string `json:"excluded,omitempty"`
	// Configs are the token configurations that its expression names.
	Configs []string `json:"configs,omitempty"`
}

// SortKey orders rules by id.
func (r TokenValidationRule) SortKey() string { return r.ID }

type tokenRuleWire struct {
	ID       string `json:"id"`
	Action   string `json:"action"`
	Enabled  bool   `json:"enabled"`
	Expr     string `json:"expression"`
	Selector struct {
		Include []struct {
			Host []string `json:"host"`
		} `json:"include"`
		Exclude []struct {
			Operations []string `json:"operation_ids"`
		} `json:"exclude"`
	} `json:"selector"`
}

// quotedConfig finds the identifiers of token configurations whose tokens an expression verifies, as
// is_jwt_valid("…") does; is_jwt_present takes a forged token for one
// (developers.cloudflare.com/api-shield/security/jwt-validation/).
func quotedConfig() *regexp.Regexp {
	return regexp.MustCompile(`is_jwt_valid\s*\(\s*"([0-9A-Za-z_-]{1,64})"\s*\)`)
}

// zoneTokenRules lists the rules that validate session tokens
// (developers.cloudflare.com/api/resources/token_validation/subresources/rules/methods/list/).
func zoneTokenRules() Source {
	return list(ZoneTokenRules, Source{
		Path: "/zones/{zone_id}/token_validation/rules", Paging: Paging{Kind: ByPage, Size: 50}, Permission: permissionAPI,
		Plans: []string{"enterprise"}, After: []string{ZoneAPIOperations.Source()}, Skip: noOperations(),
		Example: `[{"id":"t1","title":"drop","description":"drop","action":"block","enabled":true,"expression":"is_jwt_valid(\"c1\")",` +
			`"selector":{"include":[{"host":["api.acme.example"]}],"exclude":[{"operation_ids":["o9"]}]}}]`,
	}, func(w tokenRuleWire) TokenValidationRule {
		r := TokenValidationRule{ID: w.ID, Action: w.Action, Enabled: w.Enabled}
		for _, m := range quotedConfig().FindAllStringSubmatch(w.Expr, -1) {
			r.Configs = append(r.Configs, m[1])
		}
		slices.Sort(r.Configs)
		r.Configs = slices.Compact(r.Configs)
		for _, i := range w.Selector.Include {
			r.Hosts = append(r.Hosts, i.Host...)
		}
		for _, e := range w.Selector.Exclude {
			r.Excluded = append(r.Excluded, e.Operations...)
		}
		return r
	})
}
