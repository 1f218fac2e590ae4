package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// OriginTLS is how the edge speaks to the server behind a host: off, flexible, full, strict or origin_pull. The setting of the
// zone gives way to the first page rule that matches, and that to configuration rules, of which the last wins
// (developers.cloudflare.com/ssl/origin-configuration/ssl-modes/, /rules/configuration-rules/,
// /rules/reference/page-rules-migration/). Hosts without an origin are not in it: nothing is encrypted by the mode there.
func OriginTLS() Aspect[Value[string]] {
	return Aspect[Value[string]]{
		Name: "TLS mode to the origin",
		Needs: []snapshot.Named{snapshot.ZoneList, snapshot.ZoneDNSRecords, snapshot.ZoneSetting("ssl"), snapshot.ZonePageRules,
			snapshot.ZoneRulesets, snapshot.ZonePhaseConfig, snapshot.AccountLists, snapshot.AccountListItems, snapshot.AccountRulesets},
		lanes: func(z *zone) []Lane[Value[string]] {
			return zoneSetting(z, "ssl", Kind.HasOrigin, func(p snapshot.PageRule) (string, bool) {
				mode, ok := p.Actions["ssl"]
				return mode, ok
			}, func(c snapshot.ConfigParams) (string, bool) { return c.SSL, c.SSL != "" })
		},
	}
}

// change is a rule that may give a setting another value.
type change struct {
	text  string
	by    By
	value string
	sets  bool
	page  bool // a page rule: only the first that matches counts
}

// changed is the value of a setting so far; paged says that a page rule took the request.
type changed struct {
	Value[string]
	paged bool
}

func (v changed) key() string { return fmt.Sprint(v.paged, v.Is, v.By, v.Or, v.Doubt != nil) }

func (v changed) take(c change) changed {
	if c.sets && !(c.page && v.paged) {
		v.Value = v.Set(c.value, c.by)
	}
	v.paged = v.paged || c.page
	return v
}

func (v changed) mayTake(c change) changed {
	if c.sets && !(c.page && v.paged) {
		v.Value = v.May(c.value, Doubt{Why: "whether the rule " + c.by.Name + " applies is not known"})
	}
	return v
}

// zoneSetting follows a setting through page rules and configuration rules.
func zoneSetting(z *zone, id string, of func(Kind) bool, page func(snapshot.PageRule) (string, bool),
	config func(snapshot.ConfigParams) (string, bool)) []Lane[Value[string]] {
	settings, unread := z.settings(id)
	start := changed{Value: Value[string]{By: By{Source: snapshot.ZoneSettings, Pointer: "/" + id}, Doubt: unread}}
	is, returned := settings.Text(id)
	if start.Is = is; !returned && unread == nil {
		start.Doubt = &Doubt{Why: "Cloudflare did not return the setting " + id}
	}
	pages, pagesUnread := read(z, snapshot.ZonePageRules)
	start.Doubt = cmp.Or(pagesUnread, start.Doubt)
	rules, rulesUnread := entry(z, snapshot.ZoneRulesets, snapshot.ZonePhaseConfig)
	rulesUnread = cmp.Or(rulesUnread, accountPhase(z, "http_config_settings"))
	var changes []change
	for _, p := range inOrder(pages) {
		value, sets := page(p)
		changes = append(changes, change{text: pageCondition(p), value: value, sets: sets, page: true,
			by: By{Source: snapshot.ZonePageRules, Pointer: "/" + p.ID, Rule: p.ID, Name: strings.Join(p.Targets, ", ")}})
	}
	for _, r := range rules.Rules {
		if !r.Enabled || r.Action != "set_config" || r.Params.Config == nil {
			continue
		}
		value, sets := config(*r.Params.Config)
		changes = append(changes, change{text: r.Expression, value: value, sets: sets,
			by: By{Source: snapshot.ZonePhaseConfig, Pointer: "/rules/" + r.ID, Rule: r.ID, Name: r.Name()}})
	}
	texts := make([]string, len(changes))
	for i, c := range changes {
		texts[i] = c.text
	}
	return lanesOf(z, texts, of, func(s *space) []state[Value[string]] {
		lanes := []state[changed]{{boxes: s.start(), value: start}}
		for _, c := range changes {
			lanes = apply(s, lanes, c.text, func(v changed) changed { return v.take(c) }, func(v changed) changed { return v.mayTake(c) },
				changed.key)
		}
		out := make([]state[Value[string]], len(lanes))
		for i, l := range lanes {
			if rulesUnread != nil {
				l.value.Doubt, l.value.Or = rulesUnread, nil
			}
			out[i] = state[Value[string]]{boxes: l.boxes, value: l.value.Value}
		}
		return out
	})
}

// pageCondition writes the targets of a page rule as an expression. A target without a scheme takes both; a path is compared with
// regard to case.
func pageCondition(p snapshot.PageRule) string {
	var out []string
	for _, t := range p.Targets {
		scheme, rest, ok := strings.Cut(t, "://")
		schemes := []string{scheme}
		if !ok {
			schemes, rest = []string{"http", "https"}, t
		}
		host, path, _ := strings.Cut(rest, "/")
		for _, scheme := range schemes {
			out = append(out, fmt.Sprintf("http.request.full_uri strict wildcard %q", strings.ToLower(scheme+"://"+host)+"/"+path))
		}
	}
	if len(out) == 0 {
		return "false"
	}
	return strings.Join(out, " or ")
}

// entry reads the entry point of a phase of the zone, and the list that says whether there is one.
func entry(z *zone, list snapshot.Key[[]snapshot.RulesetInfo], phase snapshot.Key[snapshot.Ruleset]) (snapshot.Ruleset, *Doubt) {
	if _, doubt := read(z, list); doubt != nil {
		return snapshot.Ruleset{}, doubt
	}
	return read(z, phase)
}

// accountPhase is the doubt that remains when the account has rules in a phase of which only those of zones are read. Rules of
// the account act on zones of the enterprise plan.
func accountPhase(z *zone, phase string) *Doubt {
	if z.Plan != "enterprise" {
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
