package change

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Clean reports whether a path of the provider's API leads where its segments say: no segment is
// empty and none, once decoded, is a dot segment or contains a separator (RFC 3986, section 5.2.4).
// Paths contain ids and names of objects, some of which are chosen by strangers.
func Clean(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	rest, rooted := strings.CutPrefix(path, "/")
	for segment := range strings.SplitSeq(rest, "/") {
		name, err := url.PathUnescape(segment)
		if err != nil || name == "" || name == "." || name == ".." || strings.ContainsFunc(name, separates) {
			return false
		}
	}
	return rooted
}

func separates(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) }

// Within reports whether every path of an edit is clean and lies in the account or in the zone.
func (e Edit) Within(account, zone string) bool {
	paths := []string{e.Place.Path, e.Do.Path}
	if e.Again != nil {
		paths = append(paths, e.Again.Path)
	}
	if e.Undo != nil {
		paths = append(paths, e.Undo.Path)
	}
	return !slices.ContainsFunc(paths, func(path string) bool {
		return !Clean(path) || !below(path, "/accounts/", account) && !below(path, "/zones/", zone)
	})
}

// below reports whether a path is that of an object or of something in it.
func below(path, kind, id string) bool {
	path, _, _ = strings.Cut(path, "?")
	rest, is := strings.CutPrefix(path, kind+url.PathEscape(id))
	return is && id != "" && (rest == "" || rest[0] == '/')
}

// Overlaps reports whether two edits may write to the same object: at the same path, or at one
// below the other, unless both name different items of one list.
func (e Edit) Overlaps(other Edit) bool {
	mine, _, _ := strings.Cut(e.Place.Path, "?")
	theirs, _, _ := strings.Cut(other.Place.Path, "?")
	if mine != theirs {
		return strings.HasPrefix(mine, theirs+"/") || strings.HasPrefix(theirs, mine+"/")
	}
	for name, v := range e.Place.Match {
		if w, both := other.Place.Match[name]; both && !Holds(v, w) {
			return false
		}
	}
	return true
}
