package explain

import (
	"cmp"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// cache describes whether the edge caches the response: the page rule comes first, then the cache
// rules, of which each sets some of it and the last that does so wins
// (developers.cloudflare.com/cache/how-to/cache-rules/order/).
func (w *walk) cache() PhaseStep {
	s := PhaseStep{Phase: "http_request_cache_settings", Title: "Cache Rules", sources: []snapshot.Named{snapshot.ZonePhaseCache,
		snapshot.ZonePageRules}}
	hits, s, done := w.entry(s, snapshot.ZonePhaseCache)
	if done && s.Outcome == Unclear {
		return s
	}
	page, actions, open := w.pageRule()
	level := actions["cache_level"]
	if open != nil {
		return w.doubtful(s, *open)
	}
	if len(hits) == 0 && level == "" {
		return s
	}
	var all []taken
	var mode string
	var eligible *bool
	if level != "" {
		all = append(all, page)
		stores := level == "cache_everything"
		eligible = &stores
	}
	for _, h := range hits {
		all = append(all, h)
		if c := h.rule.Params.Cache; c != nil {
			eligible = &c.Eligible
			mode = cmp.Or(c.EdgeMode, mode)
		}
		mode = cmp.Or(h.rule.Params.Lasts, mode)
	}
	last := all[len(all)-1]
	s.By, s.Outcome = byOf(last.by), Applied
	s.Overrode = overrides(all[:len(all)-1])
	who, keep, let, change := sentenceStart(names(all)), verb(all, "keeps", "keep"), verb(all, "lets", "let"), verb(all, "changes", "change")
	switch {
	case eligible == nil:
		s.Detail = who + " " + change + " how the answer is kept."
	case len(hits) == 0 && !*eligible:
		s.Detail = who + " sets the cache level to " + level + "."
	case !*eligible:
		s.Detail = who + " " + keep + " the answer out of the cache."
	case mode == "override_origin":
		s.Detail = who + " " + keep + " the answer in the cache, whatever the origin says of it."
	default:
		s.Detail = who + " " + let + " the answer be kept in the cache."
	}
	return s
}
