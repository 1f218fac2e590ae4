package explain

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// pageRules finds the one page rule that acts: the first that matches the request.
func (w *walk) pageRules() PhaseStep {
	s := PhaseStep{Phase: "page_rules", Title: "Page Rules", sources: []snapshot.Named{snapshot.ZonePageRules}}
	pages, _ := read(w, snapshot.ZonePageRules)
	hit, given, open := w.pageRule()
	switch {
	case open != nil:
		return w.doubtful(s, *open)
	case len(pages) == 0:
		s.Outcome, s.Detail = NotConfigured, "There are no rules."
		return s
	case given == nil:
		s.Outcome, s.Detail = Passed, fmt.Sprintf("None of the rules (%d) takes the request.", len(pages))
		return s
	}
	actions, ignored, open := w.forWorkers(given)
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
		return redirected(s, hit.by, to.Status, to.URL, false)
	}
	if _, ok := actions["always_use_https"]; ok && !w.query.secure() {
		u := *w.query.URL
		u.Scheme = "https"
		return redirected(s, hit.by, 301, u.String(), false)
	}
	s.By, s.Outcome, s.Values = byOf(hit.by), Applied, actions
	s.Detail = fmt.Sprintf("%s acts, and no other page rule: %s.", sentenceStart(hit.by.Name),
		strings.Join(slices.Sorted(maps.Keys(actions)), ", "))
	switch {
	case len(actions) == 0:
		s.Outcome = Skipped
		s.Detail = fmt.Sprintf("%s would act, but %s takes the request: %s.", sentenceStart(hit.by.Name), ignored.by.Name,
			strings.Join(slices.Sorted(maps.Keys(given)), ", "))
		s.Overrode, s.By = []By{*s.By}, byOf(ignored.by)
	case ignored != nil:
		s.Detail = sentence(strings.TrimSuffix(s.Detail, ".") + "; the others are ignored, because " + ignored.by.Name + " takes the request")
	}
	return s
}

// pageRule returns the page rule that acts on the request, and its actions; none is no page rule.
func (w *walk) pageRule() (hit taken, actions map[string]string, open *traffic.Doubt) {
	pages, unread := read(w, snapshot.ZonePageRules)
	if unread != nil || len(pages) == 0 {
		return taken{}, nil, unread
	}
	pages = traffic.PageRulesInOrder(pages)
	all := make([]taken, len(pages))
	for i, p := range pages {
		all[i] = taken{condition: traffic.PageCondition(p), by: traffic.By{Source: snapshot.ZonePageRules, Pointer: "/" + p.ID, Rule: p.ID,
			Name: "the page rule " + strings.Join(p.Targets, ", ")}}
	}
	hits, open := w.met("page_rules", all)
	if open != nil || len(hits) == 0 {
		return taken{}, nil, open
	}
	return hits[0], pages[hits[0].at].Actions, nil
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
