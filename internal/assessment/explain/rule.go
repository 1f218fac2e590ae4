package explain

import (
	"cmp"
	"encoding/json"
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

// pageRules finds the one page rule that acts: the first that matches the request.
func (w *walk) pageRules() PhaseStep {
	s := PhaseStep{Phase: "page_rules", Title: "Page Rules", sources: []snapshot.Named{snapshot.ZonePageRules}}
	pages, unread := read(w, snapshot.ZonePageRules)
	pages = traffic.PageRulesInOrder(pages)
	all := make([]taken, len(pages))
	for i, p := range pages {
		all[i] = taken{condition: traffic.PageCondition(p), by: traffic.By{Source: snapshot.ZonePageRules, Pointer: "/" + p.ID, Rule: p.ID,
			Name: "the page rule " + strings.Join(p.Targets, ", ")}}
	}
	hits, s, done := w.phase(s, all, unread)
	if done {
		return s
	}
	actions, ignored, open := w.forWorkers(pages[hits[0].at].Actions)
	if open != nil {
		return w.doubtful(s, *open)
	}
	if forward, ok := actions["forwarding_url"]; ok {
		var to struct {
			URL    string `json:"url"`
			Status int    `json:"status_code"`
		}
		if json.Unmarshal([]byte(forward), &to) != nil {
			to.URL = forward
		}
		return redirected(s, hits[0].by, to.Status, to.URL, false)
	}
	if _, ok := actions["always_use_https"]; ok && !w.query.secure() {
		u := *w.query.URL
		u.Scheme = "https"
		return redirected(s, hits[0].by, 301, u.String(), false)
	}
	s.By, s.Outcome, s.Values = byOf(hits[0].by), Applied, actions
	s.Detail = fmt.Sprintf("%s acts, and no other page rule: %s.", sentenceStart(hits[0].by.Name),
		strings.Join(slices.Sorted(maps.Keys(actions)), ", "))
	switch {
	case len(actions) == 0:
		s.Outcome = Skipped
		s.Detail = fmt.Sprintf("%s would act, but %s takes the request: %s.", sentenceStart(hits[0].by.Name), ignored.by.Name,
			strings.Join(slices.Sorted(maps.Keys(pages[hits[0].at].Actions)), ", "))
		s.Overrode, s.By = []By{*s.By}, byOf(ignored.by)
	case ignored != nil:
		s.Detail = sentence(strings.TrimSuffix(s.Detail, ".") + "; the others are ignored, because " + ignored.by.Name + " takes the request")
	}
	return s
}

// forWorkers drops the actions of a page rule that are ignored where a Worker takes the request;
// route is what makes them so, or nil.
func (w *walk) forWorkers(actions map[string]string) (left map[string]string, route *taken, open *traffic.Doubt) {
	left = maps.Clone(actions)
	maps.DeleteFunc(left, func(id, _ string) bool { return traffic.NotForWorkers(id) })
	if len(left) == len(actions) {
		return actions, nil, nil
	}
	routes, hits, open := w.routes()
	if open != nil || len(hits) == 0 || routes[hits[0].at].Script == "" {
		return actions, nil, open
	}
	return left, &hits[0], nil
}

// routes lists the Worker routes in their order, and those that match the request.
func (w *walk) routes() (all []snapshot.WorkerRoute, hits []taken, open *traffic.Doubt) {
	all, unread := read(w, snapshot.ZoneWorkerRoutes)
	if unread != nil || len(all) == 0 {
		return nil, nil, unread
	}
	all = traffic.RoutesInOrder(all)
	conditions := make([]taken, len(all))
	for i, r := range all {
		conditions[i] = taken{condition: traffic.RouteCondition(r),
			by: traffic.By{Source: snapshot.ZoneWorkerRoutes, Pointer: "/" + r.ID, Rule: r.ID, Name: "the route " + r.Pattern}}
	}
	hits, open = w.met("workers", conditions)
	return all, hits, open
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

// cache describes whether the edge caches the response: the page rule comes first, then the cache
// rules, of which the last match wins (developers.cloudflare.com/cache/how-to/cache-rules/order/).
func (w *walk) cache() PhaseStep {
	s := PhaseStep{Phase: "http_request_cache_settings", Title: "Cache Rules", sources: []snapshot.Named{snapshot.ZonePhaseCache}}
	hits, s, done := w.entry(s, snapshot.ZonePhaseCache)
	if done {
		return s
	}
	last := hits[len(hits)-1]
	s.By, s.Outcome = byOf(last.by), Applied
	s.Overrode = overrides(hits[:len(hits)-1])
	c := last.rule.Params.Cache
	switch {
	case c == nil:
		s.Detail = sentenceStart(last.by.Name) + " changes how the answer is kept."
	case !c.Eligible:
		s.Detail = sentenceStart(last.by.Name) + " keeps the answer out of the cache."
	case c.EdgeMode == "override_origin":
		s.Detail = sentenceStart(last.by.Name) + " keeps the answer in the cache, whatever the origin says of it."
	default:
		s.Detail = sentenceStart(last.by.Name) + " lets the answer be kept in the cache."
	}
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

// worker finds the script that handles the request: the most specific matching route wins, and
// routes come before custom domains
// (developers.cloudflare.com/workers/configuration/routing/routes/).
func (w *walk) worker() PhaseStep {
	s := PhaseStep{Phase: "workers", Title: "Workers", sources: []snapshot.Named{snapshot.ZoneWorkerRoutes, snapshot.WorkerDomains}}
	routes, hits, open := w.routes()
	if open != nil {
		return w.doubtful(s, *open)
	}
	if len(hits) > 0 && routes[hits[0].at].Script != "" {
		s.By, s.Outcome = byOf(hits[0].by), Applied
		s.Overrode = overrides(hits[1:])
		s.Detail = fmt.Sprintf("The Worker %s takes the request; what its code does cannot be told from here.", routes[hits[0].at].Script)
		return s
	}
	domains, unread := read(w, snapshot.WorkerDomains)
	at := slices.IndexFunc(domains, func(d snapshot.WorkerDomain) bool { return strings.EqualFold(d.Hostname, w.query.Host()) })
	switch {
	case unread != nil:
		return w.doubtful(s, *unread)
	case at >= 0:
		d := domains[at]
		s.By = &By{Source: snapshot.WorkerDomains.Source(), Pointer: "/" + d.ID, ID: d.ID, Name: "the domain of the Worker " + d.Script,
			Scope: "account"}
		s.Overrode = overrides(hits)
		s.Outcome, s.Detail = Applied, "The Worker "+d.Script+" answers."
	case len(hits) > 0:
		s.By, s.Outcome = byOf(hits[0].by), Skipped
		s.Overrode = overrides(hits[1:])
		s.Detail = fmt.Sprintf("The route %s keeps the request from every Worker.", routes[hits[0].at].Pattern)
	case len(routes) == 0:
		s.Outcome, s.Detail = NotConfigured, "There are no rules."
	default:
		s.Outcome, s.Detail = Passed, fmt.Sprintf("None of the rules (%d) takes the request.", len(routes))
	}
	return s
}
