package cache

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// everything reports whether a page rule caches everything it matches.
func everything(p snapshot.PageRule) bool {
	return p.Status == "active" && p.Actions["cache_level"] == "cache_everything"
}

func pageName(p snapshot.PageRule) string {
	if len(p.Targets) == 0 {
		return p.ID
	}
	return p.Targets[0]
}
