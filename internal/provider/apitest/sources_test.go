package apitest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// comparison counts what was held against the published document.
type comparison struct {
	counts map[string][3]int // right, reasoned, wrong by what was compared
	wrong  []string
	known  map[string]string // differences with a reason
	used   map[string]bool
}

// reasons reads the committed list of differences: one a line, the reason and its source behind a tab.
func reasons(t *testing.T, file string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	out := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		difference, reason, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		require.True(t, found && reason != "", "a difference without a reason: %s", line)
		out[difference] = reason
	}
	return out
}

func compare(t *testing.T, file string) *comparison {
	t.Helper()
	return &comparison{counts: map[string][3]int{}, known: reasons(t, file), used: map[string]bool{}}
}

// report prints the table, and fails for what is wrong and for reasons that are no longer needed.
func (c *comparison) report(t *testing.T) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		n := c.counts[what]
		t.Logf("%-10s %5d right %4d reasoned %4d wrong", what, n[0], n[1], n[2])
	}
	slices.Sort(c.wrong)
	require.Empty(t, strings.Join(slices.Compact(c.wrong), "\n"))
	for difference := range c.known {
		require.True(t, c.used[difference], "nothing differs any more: %s", difference)
	}
}

// note counts one fact; difference is empty when it is right.
func (c *comparison) note(what, difference string) {
	n := c.counts[what]
	switch {
	case difference == "":
		n[0]++
	case c.known[difference] != "":
		n[1]++
		c.used[difference] = true
	default:
		n[2]++
		c.wrong = append(c.wrong, what+"\t"+difference)
	}
	c.counts[what] = n
}

func TestSourcesAgreeWithWhatIsPublished(t *testing.T) {
	all := Operations()
	c := compare(t, "testdata/reasons.tsv")
	for _, s := range snapshot.Sources() {
		c.source(all, s)
	}
	c.report(t)
}

func (c *comparison) source(all map[string]Operation, s snapshot.Source) {
	for _, path := range slices.Concat([]string{s.Path}, s.More) {
		bare, query, _ := strings.Cut(path, "?")
		o, ok := Find(all, "GET", anonymous(bare))
		if !ok {
			c.note("path", s.Name+" GET "+bare)
			continue
		}
		c.note("path", "")
		values, _ := url.ParseQuery(variable.ReplaceAllString(query, "x"))
		for name := range values {
			c.parameter(s, o, name)
		}
		c.paging(s, o)
		wire := s.Wire()
		if s.Listed() && wire.Kind() == reflect.Slice {
			item, ok := o.Result.Item()
			if !ok {
				c.note("field", s.Name+" is not a list")
				continue
			}
			c.fields(s.Name, wire.Elem(), item, "")
			continue
		}
		c.fields(s.Name, wire, o.Result, "")
	}
}

func (c *comparison) parameter(s snapshot.Source, o Operation, name string) {
	base, inner, _ := strings.Cut(name, ".")
	difference := s.Name + " ?" + name
	for _, candidate := range []string{name, strings.TrimSuffix(name, "[]"), base} {
		for _, key := range []string{candidate, candidate + "?"} {
			shape, ok := o.Query[key]
			if !ok {
				continue
			}
			if _, nested := shape.Member(inner); candidate != base || inner == "" || nested {
				difference = ""
			}
		}
	}
	c.note("parameter", difference)
}

func (c *comparison) paging(s snapshot.Source, o Operation) {
	size := s.Paging.SizeParam
	if size == "" {
		size = "per_page"
	}
	want := map[string]snapshot.PageKind{"V4PagePaginationArray": snapshot.ByPage, "V4PagePagination": snapshot.ByPage,
		"CursorPagination": snapshot.ByCursor, "CursorPaginationAfter": snapshot.ByCursor, "PageTokenPagination": snapshot.ByCursor}
	kind, paged := want[o.Paging]
	switch {
	case paged && kind != s.Paging.Kind:
		c.note("paging", fmt.Sprintf("%s is read as %d and published as %s", s.Name, s.Paging.Kind, o.Paging))
	case !paged && s.Paging.Kind == snapshot.Single && (o.Query["page?"].v != nil || o.Query["cursor?"].v != nil):
		c.note("paging", s.Name+" has parameters for pages and is read as one")
	default:
		c.note("paging", "")
	}
	if s.Paging.Kind == snapshot.Single {
		return
	}
	c.parameter(s, o, size)
	if s.Paging.Kind == snapshot.ByPage {
		c.parameter(s, o, "page")
	} else {
		c.parameter(s, o, cmp.Or(s.Paging.CursorParam, "cursor"))
	}
}

// fields holds each field that is decoded against the published member of the same name.
func (c *comparison) fields(source string, typ reflect.Type, s Shape, at string) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	where := source + " " + at
	switch {
	case typ == reflect.TypeFor[json.RawMessage](), typ.Kind() == reflect.Interface, typ == reflect.TypeFor[snapshot.RawBody]():
		c.note("field", "")
	case s.Any():
		c.note("field", where+" has no published shape")
	case typ == reflect.TypeFor[snapshot.Time]():
		c.kind(where, s, "string")
	case reflect.PointerTo(typ).Implements(reflect.TypeFor[json.Unmarshaler]()):
		c.note("field", "") // reads what is loose on purpose
	case typ.Kind() == reflect.Struct:
		c.members(source, typ, s, at)
	case typ.Kind() == reflect.Slice:
		if item, ok := s.Item(); ok {
			c.fields(source, typ.Elem(), item, at+"[]")
		} else {
			c.note("field", where+" is not a list")
		}
	case typ.Kind() == reflect.Map:
		if !s.Object() {
			c.note("field", where+" is not an object")
			return
		}
		any, _ := s.Member("*")
		if !any.Any() {
			c.fields(source, typ.Elem(), any, at+".*")
		} else {
			c.note("field", "")
		}
	case typ.Kind() == reflect.String:
		c.kind(where, s, "string")
	case typ.Kind() == reflect.Bool:
		c.kind(where, s, "boolean")
	default:
		c.kind(where, s, "number")
	}
}

func (c *comparison) kind(where string, s Shape, kind string) {
	if s.Takes(kind) {
		c.note("field", "")
	} else {
		c.note("field", where+" is not a "+kind)
	}
}

func (c *comparison) members(source string, typ reflect.Type, s Shape, at string) {
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			c.members(source, f.Type, s, at)
		case name == "-" || name == "":
		default:
			if member, ok := s.Member(name); ok {
				c.fields(source, f.Type, member, at+"."+name)
			} else {
				c.note("field", source+" "+at+"."+name+" is not published")
			}
		}
	}
}

// TestEachKindOfDifferenceIsSeen plants one of each.
func TestEachKindOfDifferenceIsSeen(t *testing.T) {
	all := Operations()
	for what, plant := range map[string]func(*snapshot.Source){
		"path":      func(s *snapshot.Source) { s.Path = "/accounts/{account_id}/member" },
		"parameter": func(s *snapshot.Source) { s.Path += "?state=all" },
		"paging":    func(s *snapshot.Source) { s.Paging.Kind = snapshot.ByCursor },
		"field":     func(s *snapshot.Source) { s.Path = "/accounts/{account_id}/tokens" },
	} {
		s := snapshot.SourceOf(snapshot.AccountMembers)
		c := &comparison{counts: map[string][3]int{}}
		c.source(all, s)
		require.Empty(t, c.wrong)
		plant(&s)
		c.source(all, s)
		require.NotZero(t, c.counts[what][2], "%s: %v", what, c.wrong)
	}
	settings, ok := Find(all, "PATCH", "/zones/z/ssl/universal/settings")
	require.True(t, ok)
	require.Empty(t, settings.BodyDifferences(map[string]any{"enabled": true}))
	require.Equal(t, []string{"/enabled: a string"}, settings.BodyDifferences(map[string]any{"enabled": "true"}))
	require.Equal(t, []string{"/on: not published"}, settings.BodyDifferences(map[string]any{"on": true}))
	members, _ := Find(all, "GET", "/accounts/a/members")
	answer := map[string]any{"id": "m", "status": "accepted", "user": nil}
	require.Empty(t, members.Result.Differences([]any{answer}))
	answer["status"] = "odd"
	require.Equal(t, []string{`/status: "odd" is not one of the published values`}, members.Result.Differences([]any{answer}))
	_, ok = Find(all, "PATCH", "/accounts/a/member")
	require.False(t, ok)
}
