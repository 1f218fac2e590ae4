package record

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// serve carries out a change.
func (e *edits) serve(w http.ResponseWriter, r *http.Request, at string) {
	if r.Header.Get("Authorization") != "Bearer "+e.token {
		refuse(w, http.StatusForbidden, 10000, "The token may not write here.")
		return
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusBadRequest, 9207, "The body of the request could not be read.")
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	at, sent := e.translated(at, decode(raw), r.URL.Query())
	result, done := e.change(r.Method, at, sent)
	if !done {
		refuse(w, http.StatusNotFound, missing, "There is no such object.")
		return
	}
	e.note(r.Method, at)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(envelope(result, nil))
}

// translated says what a change means that is none of an object: switches that are paths, and a value that takes effect
// when somebody else has done his part. A rule is named by its ruleset, which is recorded as the entry point of its phase.
func (e *edits) translated(at string, sent any, query url.Values) (string, any) {
	object, isObject := sent.(map[string]any)
	if !isObject && sent == nil {
		object = map[string]any{}
	}
	for name, values := range query {
		object[name] = values[0]
	}
	switch base := path.Base(at); {
	case path.Base(path.Dir(at)) == "content-upload-scan" && base != "settings":
		return path.Dir(at) + "/settings", map[string]any{"value": base + "d"}
	case base == "dnssec" && object["status"] == "active":
		object["status"] = "pending"
	}
	if sent == nil || isObject {
		sent = object
	}
	head, rest, inRulesets := strings.Cut(at, "/rulesets/")
	id, tail, _ := strings.Cut(rest, "/")
	if inRulesets && id != "phases" {
		places := slices.Concat(slices.Collect(maps.Keys(e.answers)), slices.Collect(maps.Keys(e.objects)))
		for _, entry := range places {
			if strings.HasPrefix(entry, head+"/rulesets/phases/") {
				if v, found := e.find(entry); found && member(v, "id") == id {
					return path.Join(entry, tail), sent
				}
			}
		}
	}
	return at, sent
}

// change gives what the change is answered with; false when there is nothing to change.
func (e *edits) change(method, at string, sent any) (any, bool) {
	old, found := e.find(at)
	_, isList := e.list(at)
	owner, _ := e.find(path.Dir(at))
	_, inOwner := member(owner, path.Base(at)).([]any)
	switch {
	case method == http.MethodDelete && found:
		e.put(at, nil)
		return map[string]any{"id": path.Base(at)}, true
	case method == http.MethodDelete:
		return nil, false
	case method == http.MethodPost && !found && (isList || inOwner):
		var result any
		for _, item := range flat(sent) {
			result = e.add(at, item, isList)
		}
		return result, true
	case !found:
		if old, found = e.blank(at); !found {
			return nil, false
		}
	}
	if object, is := sent.(map[string]any); is {
		sent = e.attached(path.Dir(path.Dir(at)), old, object)
	}
	made := merged(old, sent, path.Base(at) == "managed_headers")
	e.put(at, made)
	if script, is := strings.CutSuffix(at, "/subdomain"); is { // the newer list of scripts shows it, too
		worker := strings.Replace(script, "/scripts/", "/workers/", 1)
		shown, _ := e.find(worker)
		e.putMember(worker, path.Base(at), merged(member(shown, path.Base(at)), made, false))
	}
	return made, true
}

// flat gives the objects that were sent: some lists take several at once.
func flat(sent any) (out []map[string]any) {
	list, several := sent.([]any)
	if !several {
		list = []any{sent}
	}
	for _, item := range list {
		if object, is := item.(map[string]any); is {
			out = append(out, object)
		}
	}
	return out
}

// add appends to a list. An object that was deleted before and is made again is the old one.
func (e *edits) add(at string, item map[string]any, isList bool) any {
	list, _ := e.list(at)
	for _, old := range list {
		for _, name := range namesOf(old) {
			if now, changed := e.objects[at+"/"+name]; changed && now == nil && holds(old, item) {
				delete(e.objects, at+"/"+name)
				return old
			}
		}
	}
	item = maps.Clone(item)
	item["id"] = e.newID()
	if !isList {
		owner, _ := e.find(path.Dir(at))
		inOwner, _ := member(owner, path.Base(at)).([]any)
		e.putMember(path.Dir(at), path.Base(at), append(slices.Clone(inOwner), item))
		return item
	}
	item = e.attached(path.Dir(at), nil, item)
	e.objects[at+"/"+item["id"].(string)] = item
	e.made[at] = append(e.made[at], at+"/"+item["id"].(string))
	return item
}

// attached shows the policies of an application whole, which are sent by id.
func (e *edits) attached(access string, old any, sent map[string]any) map[string]any {
	policies, _ := sent["policies"].([]any)
	known, _ := member(old, "policies").([]any)
	whole := make([]any, 0, len(policies))
	for _, policy := range policies {
		id, isID := policy.(string)
		if !isID {
			id, _ = member(policy, "id").(string)
		}
		if i := indexOf(known, id); i >= 0 {
			policy = known[i]
		} else if reusable, found := e.find(access + "/policies/" + id); found {
			policy = reusable
		}
		whole = append(whole, policy)
	}
	if policies != nil {
		sent = maps.Clone(sent)
		sent["policies"] = whole
	}
	return sent
}

func holds(old any, item map[string]any) bool {
	for name, v := range item {
		if fmt.Sprint(member(old, name)) != fmt.Sprint(v) {
			return false
		}
	}
	return true
}

// blank is what a change starts from where nothing is: what was deleted, or an entry point without rules.
func (e *edits) blank(at string) (any, bool) {
	if old, found := e.recorded(at); found {
		return old, true
	}
	if phase := phaseOf(at); phase != "" {
		list := path.Dir(path.Dir(path.Dir(at)))
		e.made[list] = append(e.made[list], at)
		return map[string]any{"id": e.newID(), "kind": "zone", "name": "default", "phase": path.Base(path.Dir(at)), "version": "1"}, true
	}
	return nil, false
}

// merged is an object with the members that were sent; null takes one away, and the parts of managed headers are named by
// their ids.
func merged(old, sent any, byID bool) any {
	object, _ := old.(map[string]any)
	changes, is := sent.(map[string]any)
	if !is {
		return old
	}
	out := maps.Clone(object)
	for name, v := range changes {
		_, text := out[name].(string) // even of a switch
		_, isText := v.(string)
		_, isObject := v.(map[string]any)
		list, isList := v.([]any)
		before, _ := out[name].([]any)
		switch {
		case v == nil:
			delete(out, name)
		case text && !isText && !isList && !isObject:
			out[name] = fmt.Sprint(v)
		case byID && isList:
			before = slices.Clone(before)
			for _, part := range list {
				if i := indexOf(before, fmt.Sprint(member(part, "id"))); i >= 0 {
					before[i] = merged(before[i], part, false)
				}
			}
			out[name] = before
		default:
			out[name] = v
		}
	}
	return out
}
