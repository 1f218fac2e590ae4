package cache

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// everything reports whether a page rule caches whatever it matches.
func everything(p snapshot.PageRule) bool {
	return p.Status == "active" && p.Actions["cache_level"] == "cache_everything"
}

func pageName(p snapshot.PageRule) string {
	if len(p.Targets) == 0 {
		return p.ID
	}
	return p.Targets[0]
}

// pageStores reports whether a page rule stores a personal page. Only the
// strongest page rule acts on a request, and cache rules come after it.
func pageStores(p snapshot.PageRule, pages []snapshot.PageRule, rules []snapshot.Rule, z snapshot.Zone) truth.Value {
	if _, cookie := p.Actions["bypass_cache_on_cookie"]; cookie {
		return truth.No
	}
	paths := make([]string, 0, len(p.Targets))
	for _, t := range p.Targets {
		_, tail := splitTarget(t)
		paths = append(paths, tail)
	}
	out := truth.No
	for _, s := range samples(paths...) {
		if !reaches(p, s, "") || slices.ContainsFunc(pages, func(o snapshot.PageRule) bool {
			return o.ID != p.ID && o.Status == "active" && o.Priority > p.Priority && len(p.Targets) == 1 && reaches(o, s, p.Targets[0])
		}) {
			continue
		}
		out = truth.Or(out, truth.Not(bypassed(rules, z, s)))
	}
	return out
}

// reaches reports whether a page rule matches the path on some host, or surely
// on every host that another target matches.
func reaches(p snapshot.PageRule, sample, other string) bool {
	return slices.ContainsFunc(p.Targets, func(target string) bool {
		host, tail := splitTarget(target)
		if other != "" {
			if theirs, _ := splitTarget(other); host != theirs && !(strings.HasPrefix(host, "*") &&
				strings.HasSuffix(theirs, strings.TrimPrefix(host, "*"))) {
				return false
			}
		}
		matches, _ := expression.Test{Op: expression.Wildcard, Right: expression.Text(tail)}.OnText(sample)
		return matches
	})
}

// splitTarget parts a pattern such as *shop.example/img/* at the path; one
// without a path that ends in a star takes every path.
func splitTarget(target string) (host, tail string) {
	target = strings.ToLower(target)
	if _, rest, ok := strings.Cut(target, "://"); ok {
		target = rest
	}
	if i := strings.IndexByte(target, '/'); i >= 0 {
		return target[:i], target[i:]
	}
	if strings.HasSuffix(target, "*") {
		return target, "*"
	}
	return target, "/"
}
