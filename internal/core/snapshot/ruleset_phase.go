package snapshot

import (
	"encoding/json"
	"strings"
)

type rulesetWire struct {
	ID    string     `json:"id"`
	Kind  string     `json:"kind"`
	Phase string     `json:"phase"`
	Rules []ruleWire `json:"rules"`
}

type ruleWire struct {
	ID          string      `json:"id"`
	Ref         string      `json:"ref"`
	Enabled     *bool       `json:"enabled"`
	Action      string      `json:"action"`
	Expression  string      `json:"expression"`
	Description string      `json:"description"`
	LastUpdated Time        `json:"last_updated"`
	Params      *paramsWire `json:"action_parameters"`
	Limit       *RateLimit  `json:"ratelimit"`
}

type paramsWire struct {
	ID       string          `json:"id"`
	Ruleset  string          `json:"ruleset"`
	Phase    string          `json:"phase"`
	Rulesets []string        `json:"rulesets"`
	Phases   []string        `json:"phases"`
	Products []string        `json:"products"`
	Headers  json.RawMessage `json:"headers"`
	From     *struct {
		StatusCode int `json:"status_code"`
		Target     struct {
			Value      string `json:"value"`
			Expression string `json:"expression"`
		} `json:"target_url"`
	} `json:"from_value"`
	FromList struct {
		Name string `json:"name"`
	} `json:"from_list"`
	Rules     map[string][]string `json:"rules"`
	Overrides *Overrides          `json:"overrides"`
	ConfigParams
	HostHeader string `json:"host_header"`
	Origin     *struct {
		Host string `json:"host"`
	} `json:"origin"`
	SNI *struct {
		Value string `json:"value"`
	} `json:"sni"`
	Cache   *bool `json:"cache"`
	EdgeTTL struct {
		Mode string `json:"mode"`
	} `json:"edge_ttl"`
	CacheKey struct {
		Armor bool `json:"cache_deception_armor"`
	} `json:"cache_key"`
}

func reduceRuleset(w rulesetWire) Ruleset {
	out := Ruleset{ID: w.ID, Kind: w.Kind, Phase: w.Phase, Rules: []Rule{}}
	for _, r := range w.Rules {
		rule := Rule{ID: r.ID, Ref: r.Ref, Enabled: r.Enabled == nil || *r.Enabled, Action: r.Action,
			Expression: r.Expression, Description: r.Description, LastUpdated: r.LastUpdated, Limit: r.Limit}
		if r.Params != nil {
			rule.Params = reduceParams(*r.Params)
		}
		out.Rules = append(out.Rules, rule)
	}
	return out
}

func reduceParams(w paramsWire) RuleParams {
	p := RuleParams{ExecuteID: w.ID, Ruleset: w.Ruleset, Phase: w.Phase, Rulesets: w.Rulesets,
		Phases: w.Phases, Products: w.Products, Rules: w.Rules, Overrides: w.Overrides,
		FromList: w.FromList.Name}
	// Transform rules have an object of headers; other actions use the same name for a list, which
	// is not kept.
	var headers map[string]struct {
		Operation  string `json:"operation"`
		Value      string `json:"value"`
		Expression string `json:"expression"`
	}
	if decodeInto(w.Headers, &headers, "headers") == nil && len(headers) > 0 {
		p.Headers = map[string]HeaderOp{}
		for name, h := range headers {
			op := HeaderOp{Operation: h.Operation, Dynamic: h.Expression != ""}
			op.Value = publicValue(strings.ToLower(name), h.Value)
			op.Reads, op.Plain = readsOf(h.Expression), plainWord(h.Value)
			p.Headers[strings.ToLower(name)] = op
		}
	}
	if w.Cache == nil {
		p.Lasts = w.EdgeTTL.Mode
	} else {
		p.Cache = &CacheParams{Eligible: *w.Cache, EdgeMode: w.EdgeTTL.Mode, Armor: w.CacheKey.Armor}
	}
	if w.ConfigParams != (ConfigParams{}) {
		p.Config = &w.ConfigParams
	}
	origin := OriginParams{HostHeader: w.HostHeader}
	if w.Origin != nil {
		origin.Resolve = w.Origin.Host
	}
	if w.SNI != nil {
		origin.SNI = w.SNI.Value
	}
	if origin != (OriginParams{}) {
		p.Origin = &origin
	}
	if w.From != nil {
		p.StatusCode, p.RedirectTo = w.From.StatusCode, w.From.Target.Value
		if w.From.Target.Expression != "" {
			p.RedirectTo, p.RedirectRaw = w.From.Target.Expression, true
		}
	}
	return p
}

// publicValue keeps the values that checks judge and that every browser receives. Other headers may
// hold secrets; report addresses in a content security policy may hold keys and are removed.
func publicValue(header, value string) string {
	switch header {
	case "strict-transport-security", "x-frame-options", "x-content-type-options", "referrer-policy":
		return value
	case "content-security-policy":
		var kept []string
		for d := range strings.SplitSeq(value, ";") {
			if name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(d)), " "); name != "" && !strings.HasPrefix(name, "report-") {
				kept = append(kept, strings.TrimSpace(d))
			}
		}
		return strings.Join(kept, "; ")
	default:
		return ""
	}
}

const exampleRuleset = `{"id":"r1","kind":"zone","phase":"http_ratelimit","rules":[{"id":"x","version":"1","enabled":true,` +
	`"action":"block","expression":"true","action_parameters":{"response":{"content":"drop"}}}]}`

// zonePhase reads one entrypoint ruleset of a zone if the list of rulesets has it
// (developers.cloudflare.com/api/resources/rulesets/subresources/phases/methods/get/). A phase in
// alike requires the same permission, so its read shows whether that permission works.
func zonePhase(key Key[Ruleset], permission string, alike ...Key[Ruleset]) Source {
	phase := strings.TrimPrefix(key.Source(), "zone/ruleset/")
	after := []string{ZoneRulesets.Source()}
	for _, a := range alike {
		after = append(after, a.Source())
	}
	return object(key, Source{
		Path: "/zones/{zone_id}/rulesets/phases/" + phase + "/entrypoint", Permission: permission, After: after, Leads: true,
		Skip: func(k *Known, t SourceScope) string {
			answers := func(key Key[Ruleset], zone string) bool {
				s := k.Status(key, zone)
				return s == OK || s == Absent || s == Skipped
			}
			works := t.First != "" && t.First != t.Zone.ID && answers(key, t.First)
			for _, a := range alike {
				works = works || answers(a, t.Zone.ID)
			}
			return noEntryPoint(k, ZoneRulesets, t.Zone.ID, "zone", phase, works)
		},
		Example: exampleRuleset,
	}, reduceRuleset)
}

// firewallPhase reads one firewall entrypoint ruleset of the account; those apply only to zones on
// the Enterprise plan.
func firewallPhase(key Key[Ruleset], permission string) Source {
	s := accountPhase(key, permission)
	s.After = append(s.After, ZoneList.Source())
	s.Skip = firstOf(noEnterpriseZone(), s.Skip)
	return s
}

// accountPhase reads one entrypoint ruleset of the account.
func accountPhase(key Key[Ruleset], permission string) Source {
	phase := strings.TrimPrefix(key.Source(), "account/ruleset/")
	return object(key, Source{
		Path: "/accounts/{account_id}/rulesets/phases/" + phase + "/entrypoint", Permission: permission,
		After: []string{AccountRulesets.Source()},
		Skip: func(k *Known, t SourceScope) string {
			return noEntryPoint(k, AccountRulesets, t.AccountID, "root", phase, false)
		},
		Example: exampleRuleset,
	}, reduceRuleset)
}

// noEntryPoint skips a phase that the list shows to be empty. The list leaves out the phases that
// the token may not read, so it proves something only where the permission works: elsewhere, or for
// another ruleset of the phase. Otherwise, and when the list was not read, the entrypoint ruleset
// itself is read.
func noEntryPoint(k *Known, listKey Key[[]RulesetInfo], scope, kind, phase string, works bool) string {
	infos, ok := Cached(k, listKey, scope)
	if !ok {
		return ""
	}
	for _, i := range infos {
		if i.Phase != phase {
			continue
		}
		if works = true; i.Kind == kind {
			return ""
		}
	}
	if !works {
		return ""
	}
	return "there is no entry point for the phase " + phase
}

// accountRulesetCustom reads the custom rulesets that an entrypoint ruleset executes.
func accountRulesetCustom() Source {
	return object(AccountRulesetCustom, Source{
		Path: "/accounts/{account_id}/rulesets/{item}", Permission: "Account: Account Rulesets Read",
		Parent: AccountRulesets.Source(),
		After:  []string{AccountPhaseCustom.Source(), AccountPhaseManaged.Source(), AccountPhaseRate.Source()},
		Items: func(k *Known, account string) []string {
			infos, _ := Cached(k, AccountRulesets, account)
			executed := map[string]bool{}
			for _, key := range []Key[Ruleset]{AccountPhaseCustom, AccountPhaseManaged, AccountPhaseRate} {
				entry, _ := Cached(k, key, account)
				for _, r := range entry.Rules {
					executed[r.Params.ExecuteID] = true
				}
			}
			var ids []string
			for _, i := range infos {
				if i.Kind == "custom" && executed[i.ID] {
					ids = append(ids, i.ID)
				}
			}
			return ids
		},
		Example: exampleRuleset,
	}, reduceRuleset)
}
