package explain

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// redirected ends the request with a redirect.
func redirected(s PhaseStep, by traffic.By, status int, to string, computed bool) PhaseStep {
	s.By, s.Outcome, s.ends = byOf(by), Applied, true
	s.Values = map[string]string{"target": to}
	if status > 0 {
		s.Values["status"] = strconv.Itoa(status)
	}
	s.Detail = fmt.Sprintf("%s redirects the request to %s.", sentenceStart(by.Name), to)
	if computed {
		s.Detail = fmt.Sprintf("%s redirects the request to what %s computes.", sentenceStart(by.Name), to)
	}
	return s
}

func sentenceStart(name string) string {
	if strings.HasPrefix(name, "the ") {
		return "T" + name[1:]
	}
	return name
}

func (w *walk) singleRedirects() PhaseStep {
	s := PhaseStep{Phase: "http_request_dynamic_redirect", Title: "Single Redirects", sources: []snapshot.Named{snapshot.ZonePhaseRedirect}}
	hits, s, done := w.entry(s, snapshot.ZonePhaseRedirect)
	if done {
		return s
	}
	p := hits[0].rule.Params
	return redirected(s, hits[0].by, p.StatusCode, p.RedirectTo, p.RedirectRaw)
}

// rewrites only reports whether URL rewrite rules exist; they are not read.
func (w *walk) rewrites() PhaseStep {
	s := PhaseStep{Phase: "http_request_transform", Title: "URL Rewrite Rules", sources: []snapshot.Named{snapshot.ZoneRulesets}}
	all, unread := read(w, snapshot.ZoneRulesets)
	switch {
	case unread != nil:
		return w.doubtful(s, *unread)
	case slices.ContainsFunc(all, func(r snapshot.RulesetInfo) bool { return r.Kind == "zone" && r.Phase == s.Phase }):
		return unclear(s, "the zone has URL rewrite rules, which are not read: steps after this one may see another path", "")
	}
	s.Outcome, s.Detail = NotConfigured, "There are no rules."
	return s
}

// configuration lists the settings that rules override for the request.
func (w *walk) configuration() PhaseStep {
	s := PhaseStep{Phase: "http_config_settings", Title: "Configuration Rules", sources: []snapshot.Named{snapshot.ZonePhaseConfig},
		Values: map[string]string{}}
	for _, id := range traffic.RuledSettings() {
		if lanes := ask(w, traffic.Setting(id)); len(lanes) == 1 && lanes[0].Value.Doubt == nil {
			s.Values[id] = lanes[0].Value.Is
		}
	}
	hits, s, done := w.entry(s, snapshot.ZonePhaseConfig)
	if done {
		return s
	}
	last := hits[len(hits)-1]
	s.By, s.Outcome = byOf(last.by), Applied
	s.Overrode = overrides(hits[:len(hits)-1])
	s.Detail = fmt.Sprintf("%s %s settings for the request.", sentenceStart(names(hits)), verb(hits, "changes", "change"))
	return s
}

func (w *walk) originRules() PhaseStep {
	s := PhaseStep{Phase: "http_request_origin", Title: "Origin Rules", sources: []snapshot.Named{snapshot.ZonePhaseOrigin}}
	hits, s, done := w.entry(s, snapshot.ZonePhaseOrigin)
	if done {
		return s
	}
	s.By, s.Outcome, s.Values = byOf(hits[len(hits)-1].by), Applied, map[string]string{}
	for _, h := range hits {
		if o := h.rule.Params.Origin; o != nil {
			for k, v := range map[string]string{"host_header": o.HostHeader, "origin": o.Resolve, "sni": o.SNI} {
				if v != "" {
					s.Values[k] = v
				}
			}
		}
	}
	s.Detail = fmt.Sprintf("%s %s where the request goes.", sentenceStart(names(hits)), verb(hits, "changes", "change"))
	return s
}

func (w *walk) bulkRedirects() PhaseStep {
	s := PhaseStep{Phase: "http_request_redirect", Title: "Bulk Redirects", sources: []snapshot.Named{snapshot.AccountPhaseRedirect,
		snapshot.AccountListItems}}
	redirects, unread := w.kept.BulkRedirects(w.snap, w.zone)
	all := make([]taken, len(redirects))
	for i, r := range redirects {
		all[i] = taken{condition: r.Condition, by: r.By}
	}
	hits, s, done := w.phase(s, all, unread)
	if done {
		return s
	}
	to := redirects[hits[0].at]
	s.Overrode = overrides(hits[1:])
	return redirected(s, hits[0].by, cmp.Or(to.StatusCode, http.StatusMovedPermanently), to.To(w.query.path(), w.query.URL.RawQuery), false)
}

func (w *walk) requestHeaders() PhaseStep {
	s := PhaseStep{Phase: "http_request_late_transform", Title: "Request header rules", sources: []snapshot.Named{snapshot.ZonePhaseRequest,
		snapshot.ZoneManagedHeaders}}
	return w.headers(s, snapshot.ZonePhaseRequest, "on the way to the origin")
}

// headers describes what rules do to headers.
func (w *walk) headers(s PhaseStep, key snapshot.Key[snapshot.Ruleset], where string) PhaseStep {
	hits, s, done := w.entry(s, key)
	if done {
		return s
	}
	s.By, s.Outcome = byOf(hits[len(hits)-1].by), Applied
	if s.Values == nil {
		s.Values = map[string]string{}
	}
	for _, h := range hits {
		for name, op := range h.rule.Params.Headers {
			if s.Values[name] = op.Operation; op.Value != "" {
				s.Values[name] = op.Operation + ": " + op.Value
			}
		}
	}
	s.Detail = fmt.Sprintf("%s %s headers %s: %s.", sentenceStart(names(hits)), verb(hits, "changes", "change"), where,
		strings.Join(slices.Sorted(maps.Keys(s.Values)), ", "))
	return s
}

func (w *walk) snippets() PhaseStep {
	s := PhaseStep{Phase: "snippets", Title: "Snippets", sources: []snapshot.Named{snapshot.ZoneSnippetRules, snapshot.ZoneSnippets}}
	all, unread := read(w, snapshot.ZoneSnippetRules)
	var of []taken
	for _, r := range all {
		if r.Enabled == nil || *r.Enabled {
			of = append(of, taken{condition: r.Expression, by: traffic.By{Source: snapshot.ZoneSnippetRules, Pointer: "/" + r.ID, Rule: r.ID,
				Name: "the snippet " + r.Snippet}})
		}
	}
	hits, s, done := w.phase(s, of, unread)
	if done {
		return s
	}
	s.By, s.Outcome = byOf(hits[len(hits)-1].by), Applied
	s.Detail = fmt.Sprintf("%s %s; what the code does cannot be told from here.", sentenceStart(names(hits)), verb(hits, "runs", "run"))
	return s
}
