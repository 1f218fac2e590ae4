package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// PageRulesInOrder lists the active page rules in the order of evaluation: highest priority first.
func PageRulesInOrder(pages []snapshot.PageRule) []snapshot.PageRule {
	out := slices.DeleteFunc(slices.Clone(pages), func(p snapshot.PageRule) bool { return p.Status != "active" })
	slices.SortStableFunc(out, func(a, b snapshot.PageRule) int { return b.Priority - a.Priority })
	return out
}

// PageCondition writes the targets of a page rule as an expression. A target without a scheme
// matches both schemes, a star in the host stays within the host, and a star at the end matches
// every path; paths are case-sensitive. The query counts only for a target that has one
// (developers.cloudflare.com/rules/reference/page-rules-migration/#important-considerations).
func PageCondition(p snapshot.PageRule) string {
	var out []string
	for _, t := range p.Targets {
		field := partPath
		if strings.Contains(t, "?") {
			field = "http.request.uri"
		}
		out = append(out, urlCondition(t, field))
	}
	return cmp.Or(strings.Join(out, " or "), "false")
}

// PageActing writes the condition of the requests on which a page rule acts: of those that match a
// request only the one with the highest priority does (developers.cloudflare.com/rules/page-rules/).
// Rules for other pages are left out, because a zone may have more than a condition can hold.
func PageActing(pages []snapshot.PageRule, p snapshot.PageRule) string {
	var stronger []string
	for _, o := range pages {
		if o.Status == "active" && o.Priority > p.Priority && slices.ContainsFunc(o.Targets, func(t string) bool {
			return slices.ContainsFunc(p.Targets, func(own string) bool { return !apart(t, own) })
		}) {
			stronger = append(stronger, PageCondition(o))
		}
	}
	return Except(PageCondition(p), stronger)
}

// apart reports whether two targets of page rules match no common address, because what stands
// before the first star of the host or the path of one is not how the other begins.
func apart(a, b string) bool {
	begins := func(target string) [2]string {
		if _, rest, found := strings.Cut(target, "://"); found {
			target = rest
		}
		host, path, _ := strings.Cut(target, "/")
		host, _, _ = strings.Cut(strings.ToLower(host), "*")
		path, _, _ = strings.Cut(path, "*")
		return [2]string{host, path}
	}
	x, y := begins(a), begins(b)
	for i := range x {
		if !strings.HasPrefix(x[i], y[i]) && !strings.HasPrefix(y[i], x[i]) {
			return true
		}
	}
	return false
}

// RouteCondition writes the pattern of a Worker route as an expression. It is compared with the
// query, too (developers.cloudflare.com/workers/configuration/routing/routes/#matching-behavior).
func RouteCondition(r snapshot.WorkerRoute) string {
	return urlCondition(r.Pattern, "http.request.uri")
}

// urlCondition writes a pattern of addresses as an expression; field is what is compared with all
// that follows the host.
func urlCondition(pattern, field string) string {
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok {
		scheme, rest = "", pattern
	}
	host, path, hasPath := strings.Cut(rest, "/")
	term := fmt.Sprintf("http.host wildcard %q", host)
	if hasPath || !strings.HasSuffix(host, "*") {
		term += fmt.Sprintf(" and %s strict wildcard %q", field, "/"+path)
	}
	switch strings.ToLower(scheme) {
	case "http":
		term += " and not ssl"
	case "https":
		term += " and ssl"
	}
	return "(" + term + ")"
}

// RoutesInOrder lists the Worker routes so that the first one that matches a request decides: the
// most specific host comes first, then the most specific path. Of /images* and /images/*, the
// former wins (developers.cloudflare.com/workers/platform/known-issues/#route-specificity).
func RoutesInOrder(routes []snapshot.WorkerRoute) []snapshot.WorkerRoute {
	out := slices.Clone(routes)
	slices.SortStableFunc(out, func(a, b snapshot.WorkerRoute) int {
		x, y := specificity(a.Pattern), specificity(b.Pattern)
		return slices.Compare(y[:], x[:])
	})
	return out
}

// specificity returns numbers that are higher for more specific patterns, the most important first.
func specificity(pattern string) [6]int {
	_, rest, schemed := strings.Cut(pattern, "://")
	if !schemed {
		rest = pattern
	}
	host, path, _ := strings.Cut(rest, "/")
	prefix := strings.TrimSuffix(strings.TrimSuffix(path, "*"), "/")
	return [6]int{one(!strings.Contains(host, "*")), len(host), len(prefix), one(!strings.HasSuffix(path, "*")), -len(path), one(schemed)}
}

// one is 1 for true and 0 for false, to compare by.
func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// NotForWorkers reports whether an action of page rules is ignored where a Worker route takes the
// request (developers.cloudflare.com/workers/configuration/workers-with-page-rules/).
func NotForWorkers(action string) bool {
	return slices.Contains([]string{"forwarding_url", "automatic_https_rewrites", "email_obfuscation", "browser_cache_ttl", "rocket_loader"},
		action)
}

// unrouted narrows a condition to requests that no Worker takes. The doubt is non-nil when the
// routes are not known.
func (z *zone) unrouted(condition string) (string, *Doubt) {
	routes, doubt := read(z, snapshot.ZoneWorkerRoutes)
	var taken, kept []string // routes with a script, and more specific ones without
	for _, r := range RoutesInOrder(routes) {
		switch {
		case r.Script == "":
			kept = append(kept, RouteCondition(r))
		case len(kept) == 0:
			taken = append(taken, RouteCondition(r))
		default:
			taken = append(taken, "("+RouteCondition(r)+" and not ("+strings.Join(kept, " or ")+"))")
		}
	}
	if len(taken) == 0 {
		return condition, doubt
	}
	return and(condition, "not ("+strings.Join(taken, " or ")+")"), doubt
}
