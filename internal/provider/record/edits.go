package record

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// edits are the changes made to a record while it is served. A change is applied to every answer
// that shows the object. For that it is enough to know the regular parts of the API: an object is
// an answer itself, a member of the list one segment above it, or a member of a list inside the
// object above that, such as a rule of a ruleset. The irregular parts are in special.go.
type edits struct {
	player *Player
	token  string
	clock  func() time.Time

	mu      sync.Mutex
	shown   map[string][]*answered      // by place; nil until it is needed
	deleted map[string][]map[string]any // by the place of their list
	made    map[string]bool             // created entrypoints
	serial  int
}

// answered is an answer with an object or a list of objects.
type answered struct {
	query url.Values
	body  map[string]any
}

// Writable lets callers with this token change what is served; all others can still only read.
func (p *Player) Writable(token string, clock func() time.Time) {
	p.edits = &edits{player: p, token: token, clock: clock, deleted: map[string][]map[string]any{}, made: map[string]bool{}}
}

// place identifies a path together with the headers that select its answer.
func place(path string, headers map[string]string) string {
	return strings.Join(slices.Sorted(maps.Values(headers)), ",") + path
}

func (e *edits) open() {
	if e.shown != nil {
		return
	}
	e.shown = map[string][]*answered{}
	for _, asked := range slices.Sorted(maps.Keys(e.player.answers)) {
		x := e.player.answers[asked]
		body, isObject := decoded(e.player.body(x)).(map[string]any)
		query, err := url.ParseQuery(x.Query)
		if isObject && err == nil && x.Status == http.StatusOK {
			at := place(x.Path, x.Headers)
			e.shown[at] = append(e.shown[at], &answered{query, body})
		}
	}
}

// decoded returns nil for invalid JSON.
func decoded(raw []byte) (v any) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// read returns the current answer. body is nil where the recorded answer applies, unless the object
// is gone.
func (e *edits) read(at string, query url.Values, recorded bool) (body []byte, gone bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if recorded && e.shown == nil {
		return nil, false
	}
	e.open()
	for _, s := range e.shown[at] {
		if s.query.Encode() == query.Encode() {
			return encoded(s.body), false
		}
	}
	if o := e.find(at); o != nil && len(query) == 0 {
		return encoded(envelope(o)), false
	}
	if recorded || !e.isList(at) {
		all, was := e.shown[at]
		return nil, was && len(all) == 0
	}
	all, names := []any{}, map[string]bool{}
	for _, s := range e.shown[at] {
		for _, v := range s.list() {
			if id := fmt.Sprint(namesOf(v)); asked(v, query) && !names[id] {
				all, names[id] = append(all, v), true
			}
		}
	}
	joined, n := envelope(all), len(all)
	joined["result_info"] = map[string]any{"page": 1, "per_page": n, "count": n, "total_count": n, "total_pages": 1}
	return encoded(joined), false
}

func envelope(result any) map[string]any {
	return map[string]any{"success": true, "errors": []any{}, "messages": []any{}, "result": result}
}

func encoded(body map[string]any) []byte {
	raw, err := json.Marshal(body)
	if err != nil {
		return []byte("null") // it was decoded from JSON
	}
	return raw
}

func (s *answered) list() []any {
	list, _ := s.body["result"].([]any)
	return list
}

// put replaces the list of an answer and adjusts its counts.
func (s *answered) put(list []any) {
	info, _ := s.body["result_info"].(map[string]any)
	for _, name := range []string{"count", "total_count"} {
		if n, err := json.Number(fmt.Sprint(info[name])).Int64(); err == nil {
			info[name] = n + int64(len(list)-len(s.list()))
		}
	}
	s.body["result"] = list
}

// asked reports whether the members of an object match a query, such as type=TXT and action_type.not=view.
func asked(v any, query url.Values) bool {
	for name, values := range query {
		name, not := strings.CutSuffix(name, ".not")
		have := member(v, name)
		if outer, inner, nested := strings.Cut(name, "_"); nested && have == nil {
			have = member(member(v, outer), inner)
		}
		if have != nil && !slices.Contains(values, "all") && slices.Contains(values, fmt.Sprint(have)) == not {
			return false
		}
	}
	return true
}

func member(v any, name string) any {
	object, _ := v.(map[string]any)
	return object[name]
}

// namesOf returns the names by which a path may refer to an object.
func namesOf(v any) (out []string) {
	for _, name := range []string{"id", "hostname", "domain_name", "name"} {
		if s, is := member(v, name).(string); is && s != "" {
			out = append(out, s)
		}
	}
	return out
}

// each calls do with every copy of an object and removes the copies that do does not keep. An
// object that is in no list is cleared instead.
func (e *edits) each(at string, do func(o map[string]any) (keep bool)) {
	above, name, member := path.Dir(at), path.Base(at), false
	kept := func(list []any) []any {
		return slices.DeleteFunc(slices.Clone(list), func(v any) bool {
			o, _ := v.(map[string]any)
			is := slices.Contains(namesOf(o), name)
			member = member || is
			return is && !do(o)
		})
	}
	for _, s := range e.shown[above] {
		if s.list() != nil {
			s.put(kept(s.list()))
		}
	}
	for i, s := range e.shown[at] {
		if o, is := s.body["result"].(map[string]any); is && len(s.query) == 0 && !do(o) {
			if !member {
				clear(o)
			} else {
				e.shown[at] = slices.Delete(slices.Clone(e.shown[at]), i, i+1)
			}
		}
	}
	if owner := path.Dir(above); strings.Count(owner, "/") >= 3 {
		e.each(owner, func(o map[string]any) bool {
			if list, is := o[path.Base(above)].([]any); is {
				o[path.Base(above)] = kept(list)
			}
			return true
		})
	}
}

// find returns an object, or nil when there is none.
func (e *edits) find(at string) (found map[string]any) {
	e.each(at, func(o map[string]any) bool {
		if found == nil {
			found = o
		}
		return true
	})
	return found
}

func (e *edits) isList(at string) bool {
	_, inside := e.find(path.Dir(at))[path.Base(at)].([]any)
	return inside || slices.ContainsFunc(e.shown[at], func(s *answered) bool { return s.list() != nil })
}
