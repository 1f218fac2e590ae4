package traffic

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Encrypted is the condition for requests over HTTPS. The edge passes those over plain HTTP to the origin in the clear in each mode but
// origin_pull (developers.cloudflare.com/ssl/origin-configuration/ssl-modes/full/).
const Encrypted = "ssl"

// Setting is a zone setting as it applies to requests: the first page rule that matches overrides
// it, and configuration rules override that; the last one wins
// (developers.cloudflare.com/rules/configuration-rules/, /rules/page-rules/reference/settings/,
// /rules/reference/page-rules-migration/).
func Setting(id string) Aspect[Value[string]] {
	r := ruledSetting(id)
	return Aspect[Value[string]]{Name: "setting " + id, Needs: r.needs(),
		lanes: func(z *zone) []Lane[Value[string]] { return r.lanes(z, anyKind) }}
}

// OriginModes lists the values of ssl, the weakest first.
func OriginModes() []string { return []string{"off", "flexible", "full", "strict", "origin_pull"} }

// SecurityLevels lists the values of security_level.
func SecurityLevels() []string {
	return []string{"off", "essentially_off", "low", "medium", "high", "under_attack"}
}

// OriginTLS is how the edge connects to the server behind a host: off, flexible, full, strict or
// origin_pull. Hosts without an origin are left out, because the mode does not apply to them
// (developers.cloudflare.com/ssl/origin-configuration/ssl-modes/).
func OriginTLS() Aspect[Value[string]] {
	r := ruledSetting("ssl")
	return Aspect[Value[string]]{Name: "TLS mode to the origin", Needs: r.needs(),
		lanes: func(z *zone) []Lane[Value[string]] {
			lanes := r.lanes(z, Kind.HasOrigin)
			for i := range lanes {
				if v := &lanes[i].Value; !slices.Contains(OriginModes(), v.Is) { // nobody can say what the edge does then
					v.Doubt = cmp.Or(v.Doubt, &Doubt{Why: "ssl has a value that is not known here: " + v.Is})
				}
			}
			return lanes
		}}
}

// ruled is a setting with the kinds of rules that may change it.
type ruled struct {
	id string
	// page is set when page rules may change it, with an action of the same name; security when
	// Disable Security turns it off.
	page, security bool
	// config returns the value that a configuration rule sets, or "". It is nil when no such rule
	// can set it.
	config func(snapshot.ConfigParams) string
}

// ruledSettings lists the settings that checks judge and that rules can change. always_use_https
// and security_header have aspects of their own: PlainHTTP and HSTS.
func ruledSettings() []ruled {
	word := func(on *bool) string {
		if on == nil {
			return ""
		}
		return map[bool]string{true: "on", false: "off"}[*on]
	}
	return []ruled{
		{id: "ssl", page: true, config: func(c snapshot.ConfigParams) string { return c.SSL }},
		{id: "security_level", page: true, config: func(c snapshot.ConfigParams) string { return c.SecurityLevel }},
		{id: "browser_check", page: true, config: func(c snapshot.ConfigParams) string { return word(c.BrowserCheck) }},
		{id: "automatic_https_rewrites", page: true,
			config: func(c snapshot.ConfigParams) string { return word(c.AutomaticHTTPSRewrites) }},
		{id: "opportunistic_encryption", page: true,
			config: func(c snapshot.ConfigParams) string { return word(c.OpportunisticEncryption) }},
		{id: "email_obfuscation", page: true, security: true,
			config: func(c snapshot.ConfigParams) string { return word(c.EmailObfuscation) }},
		{id: "hotlink_protection", page: true, security: true,
			config: func(c snapshot.ConfigParams) string { return word(c.HotlinkProtection) }},
		{id: "always_online", page: true},
		{id: "ip_geolocation", page: true},
	}
}

// RuledSettings names the settings that rules can change and that Setting follows.
func RuledSettings() []string {
	var out []string
	for _, r := range ruledSettings() {
		out = append(out, r.id)
	}
	return out
}

func ruledSetting(id string) ruled {
	for _, r := range ruledSettings() {
		if r.id == id {
			return r
		}
	}
	return ruled{id: id}
}

func (r ruled) needs() []snapshot.Named {
	out := needs(snapshot.ZoneSetting(r.id))
	if r.page {
		out = append(out, snapshot.ZonePageRules)
	}
	if NotForWorkers(r.id) {
		out = append(out, snapshot.ZoneWorkerRoutes)
	}
	if r.config != nil {
		out = append(out, snapshot.ZoneRulesets, snapshot.ZonePhaseConfig, snapshot.AccountLists, snapshot.AccountListItems,
			snapshot.AccountRulesets)
	}
	return out
}

// change is a rule that may override a setting.
type change struct {
	text  string
	by    By
	value string
	doubt *Doubt // why it is not known whether the rule takes the requests that meet text
	sets  bool
	page  bool // a page rule: only the first match applies
}

// changed is the value of a setting so far; paged is set once a page rule has matched the request, and
// maybe once one perhaps has.
type changed struct {
	Value[string]
	paged, maybe bool
}

type changedKey struct {
	value        valueKey[string]
	paged, maybe bool
}

func (v changed) key() changedKey { return changedKey{v.Value.key(), v.paged, v.maybe} }

func (v changed) take(c change) changed {
	switch after := v.Set(c.value, c.by); {
	case !c.sets || c.page && v.paged:
	case c.doubt != nil:
		v.Value = v.perhaps(after, *c.doubt)
	case c.page && v.maybe:
		v.Value = v.perhaps(after, Doubt{Why: "whether an earlier page rule applies is not known"})
	default:
		v.Value = after
	}
	v.paged = v.paged || c.page
	return v
}

func (v changed) mayTake(c change) changed {
	v.maybe = v.maybe || c.page
	if c.sets && !(c.page && v.paged) {
		v.Value = v.perhaps(v.Set(c.value, c.by), Doubt{Why: "whether the rule " + c.by.Name + " applies is not known"})
	}
	return v
}

// lanes follows a setting through page rules and configuration rules.
func (r ruled) lanes(z *zone, of func(Kind) bool) []Lane[Value[string]] {
	id := r.id
	settings, unread := z.settings(id)
	start := changed{Value: Value[string]{By: By{Source: snapshot.ZoneSettings, Pointer: "/" + id}, Doubt: unread}}
	is, returned := settings.Text(id)
	if start.Is = is; !returned && unread == nil {
		start.Doubt = &Doubt{Why: "Cloudflare did not return the setting " + id}
	}
	var changes []change
	var pages []snapshot.PageRule
	var rules snapshot.Ruleset
	var rulesUnread *Doubt
	if r.page {
		var doubt *Doubt
		pages, doubt = read(z, snapshot.ZonePageRules)
		start.Doubt = cmp.Or(doubt, start.Doubt)
	}
	if r.config != nil {
		rules, rulesUnread = entry(z, snapshot.ZoneRulesets, snapshot.ZonePhaseConfig)
		rulesUnread = cmp.Or(rulesUnread, accountPhase(z, "http_config_settings"))
	}
	for _, p := range PageRulesInOrder(pages) {
		value, sets := p.Actions[id]
		ignored := sets && NotForWorkers(id)
		if _, off := p.Actions["disable_security"]; off && r.security {
			value, sets, ignored = "off", true, false
		}
		c := change{text: PageCondition(p), value: value, sets: sets, page: true,
			by: By{Source: snapshot.ZonePageRules, Pointer: "/" + p.ID, Rule: p.ID, Name: strings.Join(p.Targets, ", ")}}
		if ignored {
			unrouted := c
			unrouted.text, unrouted.doubt = z.unrouted(c.text)
			changes = append(changes, unrouted)
			c.sets = false // for the others it is the one page rule, and changes nothing
		}
		changes = append(changes, c)
	}
	for _, rule := range rules.Rules {
		if !rule.Enabled || rule.Action != "set_config" || rule.Params.Config == nil {
			continue
		}
		value := r.config(*rule.Params.Config)
		if value == "" {
			continue // the rule sets something else
		}
		changes = append(changes, change{text: rule.Expression, value: value, sets: true,
			by: By{Source: snapshot.ZonePhaseConfig, Pointer: "/rules/" + rule.ID, Rule: rule.ID, Name: rule.Name()}})
	}
	texts := make([]string, len(changes))
	for i, c := range changes {
		texts[i] = c.text
	}
	return unlisted(z, lanesOf(z, texts, of, func(s *space) []state[Value[string]] {
		lanes := []state[changed]{{boxes: s.start(), value: start}}
		for _, c := range changes {
			lanes = joined(s, apply(s, lanes, c.text, func(v changed) changed { return v.take(c) }, func(v changed) changed { return v.mayTake(c) },
				changed.key), changed.key)
		}
		out := make([]state[Value[string]], len(lanes))
		for i, l := range lanes {
			if rulesUnread != nil {
				l.value.Doubt, l.value.Or = rulesUnread, nil
			}
			out[i] = state[Value[string]]{boxes: l.boxes, value: l.value.Value}
		}
		return out
	}), len(texts) > 0)
}

// entry reads the entrypoint ruleset of a phase of the zone, and the list that says whether it
// exists.
func entry(z *zone, list snapshot.Key[[]snapshot.RulesetInfo], phase snapshot.Key[snapshot.Ruleset]) (snapshot.Ruleset, *Doubt) {
	if _, doubt := read(z, list); doubt != nil {
		return snapshot.Ruleset{}, doubt
	}
	return read(z, phase)
}

// accountPhase returns the doubt that remains when the account has rules in a phase for which only
// zone rules are read. Account rules apply only to zones on the Enterprise plan.
func accountPhase(z *zone, phase string) *Doubt {
	if !z.MayHave("enterprise") {
		return nil
	}
	all, doubt := read(z, snapshot.AccountRulesets)
	if doubt != nil {
		return doubt
	}
	if slices.ContainsFunc(all, func(r snapshot.RulesetInfo) bool { return r.Kind == "root" && r.Phase == phase }) {
		return &Doubt{Why: "the account has rules in the phase " + phase + ", which are not read"}
	}
	return nil
}
