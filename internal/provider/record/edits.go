package record

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// edits are the changes made to a record since it is served: objects by the path that Cloudflare has them at. They know
// the interface as far as it is regular: an object is an answer, a member of a list at the path above it, or a member of
// a list inside the object above that, such as a rule of a ruleset.
type edits struct {
	player  *Player
	token   string
	clock   func() time.Time
	answers map[string][]exchange // that are JSON and no refusals, by place

	mu      sync.Mutex
	objects map[string]any      // by place; nil: deleted
	made    map[string][]string // places of what was added to a list, by that of the list
	serial  int
}

// Writable lets callers with this token change what is served; everybody else still only reads.
func (p *Player) Writable(token string, clock func() time.Time) {
	p.edits = &edits{player: p, token: token, clock: clock, answers: map[string][]exchange{}, objects: map[string]any{}, made: map[string][]string{}}
	for _, key := range slices.Sorted(maps.Keys(p.answers)) {
		if x := p.answers[key]; x.Status == http.StatusOK && x.Body != nil {
			at := place(x.Path, x.Headers)
			p.edits.answers[at] = append(p.edits.answers[at], x)
		}
	}
}

// place is a path, behind the headers that choose what it answers.
func place(path string, headers map[string]string) string {
	var chosen []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		chosen = append(chosen, headers[name])
	}
	return strings.Join(chosen, ",") + path
}

func (e *edits) decoded(x exchange) map[string]any {
	v, _ := decode(e.player.body(x)).(map[string]any)
	return v
}

// decode gives nil for what is not JSON.
func decode(raw []byte) (v any) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// now answers a read after the changes; the status is 0 when the record itself answers it.
func (e *edits) now(at string, query url.Values, x exchange, known bool) (status int, body []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if known && (len(e.objects) == 0 || x.Body == nil) {
		return 0, nil
	}
	was := e.decoded(x)
	list, isList := was["result"].([]any)
	if isList {
		now := e.listed(at, query, list)
		info, _ := was["result_info"].(map[string]any)
		for _, name := range []string{"count", "total_count"} {
			if n, is := info[name].(json.Number); is {
				before, _ := n.Int64()
				info[name] = before + int64(len(now)-len(list))
			}
		}
		return http.StatusOK, envelope(now, info)
	}
	v, found := e.find(at)
	_, changed := e.objects[at]
	switch {
	case found && x.Query == "":
		return http.StatusOK, envelope(v, nil)
	case changed:
		return http.StatusNotFound, nil
	case known:
		return 0, nil
	}
	if list, isList = e.list(at); !isList {
		return 0, nil
	}
	now := e.listed(at, query, list)
	n := len(now)
	return http.StatusOK, envelope(now, map[string]any{"page": 1, "per_page": n, "count": n, "total_count": n, "total_pages": 1})
}

func envelope(result any, info map[string]any) []byte {
	body := map[string]any{"success": true, "errors": []any{}, "messages": []any{}, "result": result}
	if info != nil {
		body["result_info"] = info
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return []byte("null") // it was read as JSON
	}
	return raw
}

// listed is a list after the changes, as far as a query asks for it.
func (e *edits) listed(at string, query url.Values, list []any) []any {
	out := []any{}
	add := func(v any) {
		if v != nil && asked(v, query) {
			out = append(out, v)
		}
	}
	for _, item := range list {
		for _, name := range namesOf(item) {
			if v, changed := e.objects[at+"/"+name]; changed {
				item = v
				break
			}
		}
		add(item)
	}
	for _, made := range e.made[at] {
		add(e.objects[made])
	}
	return out
}

// asked tells whether the members of an object have the values a query names, such as type=TXT and action_type.not=view.
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

// namesOf gives what the path of an object may call it.
func namesOf(v any) (out []string) {
	for _, name := range []string{"id", "hostname", "domain_name", "name"} {
		if s, is := member(v, name).(string); is && s != "" {
			out = append(out, s)
		}
	}
	return out
}

// find gives an object as it is now.
func (e *edits) find(at string) (any, bool) {
	if v, changed := e.objects[at]; changed {
		return v, v != nil
	}
	if _, list, i := e.inside(at); i >= 0 {
		return list[i], true
	}
	return e.recorded(at)
}

// recorded gives an object as it was recorded.
func (e *edits) recorded(at string) (any, bool) {
	for _, x := range e.answers[at] {
		if v, is := e.decoded(x)["result"].(map[string]any); is && x.Query == "" {
			return v, true
		}
	}
	list, _ := e.list(path.Dir(at))
	if i := indexOf(list, path.Base(at)); i >= 0 {
		return list[i], true
	}
	return nil, false
}

// list joins what was recorded of a list, whatever was asked.
func (e *edits) list(at string) (out []any, found bool) {
	for _, x := range e.answers[at] {
		items, is := e.decoded(x)["result"].([]any)
		found = found || is
		for _, item := range items {
			if !slices.ContainsFunc(out, func(v any) bool { return reflect.DeepEqual(v, item) }) {
				out = append(out, item)
			}
		}
	}
	return out, found
}

func indexOf(list []any, name string) int {
	return slices.IndexFunc(list, func(v any) bool { return slices.Contains(namesOf(v), name) })
}

// inside gives the place of the object in which another one lies, the list it is in there and where in it, -1 for nowhere.
func (e *edits) inside(at string) (owner string, list []any, i int) {
	owner = path.Dir(path.Dir(at))
	if strings.Count(owner, "/") < 3 {
		return owner, nil, -1
	}
	v, _ := e.find(owner)
	list, _ = member(v, path.Base(path.Dir(at))).([]any)
	return owner, list, indexOf(list, path.Base(at))
}

// put makes an object what v is, nil for gone.
func (e *edits) put(at string, v any) {
	before, recorded := e.recorded(at)
	if owner, list, i := e.inside(at); i >= 0 {
		list = slices.Clone(list)
		if v == nil {
			list = slices.Delete(list, i, i+1)
		} else {
			list[i] = v
		}
		e.putMember(owner, path.Base(path.Dir(at)), list)
		return
	}
	if strings.HasSuffix(at, "/entrypoint") {
		v = e.numbered(v)
	}
	e.objects[at] = v
	empty, isObject := before.(map[string]any)
	if recorded && (reflect.DeepEqual(v, before) || v == nil && isObject && len(empty) == 0) || !recorded && v == nil {
		delete(e.objects, at)
		for list, places := range e.made {
			e.made[list] = slices.DeleteFunc(places, func(made string) bool { return made == at })
		}
	}
}

// numbered gives the rules of an entry point their ids. One without rules is none, as it was before its first.
func (e *edits) numbered(v any) any {
	rules, _ := member(v, "rules").([]any)
	if len(rules) == 0 {
		return nil
	}
	for i, rule := range rules {
		if object, is := rule.(map[string]any); is && object["id"] == nil {
			rules[i] = merged(object, map[string]any{"id": e.newID(), "version": "1"}, false)
		}
	}
	return v
}

func (e *edits) putMember(at, name string, v any) {
	owner, _ := e.find(at)
	object, _ := owner.(map[string]any)
	object = maps.Clone(object)
	object[name] = v
	e.put(at, object)
}

// newID is an id nothing has.
func (e *edits) newID() string {
	e.serial++
	return fmt.Sprintf("ed6e%028x", e.serial)
}

// note adds a change to the audit log of the account, by which later runs know what to read again.
func (e *edits) note(method, at string) {
	parts := strings.Split(at, "/")
	account, zone := parts[2], any(nil)
	if parts[1] == "zones" {
		zone, _ = e.find("/zones/" + parts[2])
		account, _ = member(member(zone, "account"), "id").(string)
	}
	action := map[string]string{http.MethodPost: "create", http.MethodDelete: "delete"}[method]
	if action == "" {
		action = "update"
	}
	entry := map[string]any{"id": e.newID(), "action": map[string]any{"type": action, "result": "success",
		"time": e.clock().UTC().Format(time.RFC3339Nano)}, "actor": map[string]any{"context": "api_token"},
		"resource": map[string]any{"product": parts[min(3, len(parts)-1)]}}
	if zone != nil {
		entry["zone"] = map[string]any{"id": parts[2]}
	}
	log := "/accounts/" + account + "/logs/audit"
	e.objects[log+"/"+entry["id"].(string)] = entry
	e.made[log] = append(e.made[log], log+"/"+entry["id"].(string))
}
