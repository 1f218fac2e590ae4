package whatif

import (
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// gap is an item that a change writes without the values of some of its members.
type gap struct {
	source, scope string
	item          string   // pointer to it; "" is the section
	members       []string // names of members; nil: all
	why           string
}

// opened lists the items that a step wrote without all of their values.
func (w *world) opened(step Step, edits []Edit) (out []gap) {
	for _, path := range step.Unknown {
		parts := strings.Split(path, ".")
		name, index, _ := strings.Cut(strings.TrimSuffix(parts[0], "]"), "[")
		var members []string
		for _, p := range parts {
			p, _, _ = strings.Cut(p, "[")
			members = append(members, p)
		}
		for _, e := range edits {
			o := gap{source: e.Source, scope: e.Scope, item: w.itemOf(e), members: members,
				why: "the value of " + step.Change.Address + "." + path + " is known only after apply"}
			if rule, is := strings.CutPrefix(o.item, "/rules"); is && name == "rules" {
				n, _ := strconv.Atoi(index)
				switch value, _ := w.get(key{e.Source, e.Scope}); {
				case len(parts) == 1: // a whole rule, or all of them
					o.item, o.members = "/rules", nil
				case n < len(of(member(value, "rules"))):
					o.members = members[1:]
					if here := "/" + text(member(of(member(value, "rules"))[n], "id")); rule != here {
						continue // another rule, which is written too
					}
				}
			}
			out = append(out, o)
		}
	}
	return out
}

// itemOf returns the pointer to the item that an edit changes.
func (w *world) itemOf(e Edit) string {
	parts := strings.SplitN(e.Pointer, "/", 4)
	switch {
	case len(parts) > 2 && parts[1] == "rules":
		return strings.Join(parts[:3], "/")
	case len(parts) > 1 && listed(w.source(e.Source)):
		return strings.Join(parts[:2], "/")
	case strings.HasPrefix(e.Pointer, "/rules"):
		return "/rules"
	default:
		return ""
	}
}

// hangs returns why a finding is not known, if it looks at a member whose value is not.
func (o *WhatIf) hangs(f *posture.Verdict) string {
	if f == nil {
		return ""
	}
	for _, e := range f.Evidence {
		for _, u := range o.gaps {
			if e.Source == u.source && u.seenBy(e.Pointer, f.Resource.OwnZone()) {
				return u.why
			}
		}
	}
	return ""
}

// seenBy reports whether evidence shows a member without a value, or all of the item.
func (u gap) seenBy(pointer, zone string) bool {
	if snapshot.LevelOf(u.source) == snapshot.LevelZone && zone != "" && zone != u.scope {
		return false
	}
	rest, inside := strings.CutPrefix(pointer+"/", u.item+"/")
	rest = strings.TrimSuffix(rest, "/")
	switch {
	case !inside:
		return strings.HasPrefix(u.item+"/", strings.TrimSuffix(pointer, "/")+"/")
	case rest == "" || u.members == nil:
		return true
	}
	return slices.ContainsFunc(strings.Split(rest, "/"), func(name string) bool { return slices.Contains(u.members, name) })
}
