package record

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
)

// serve applies a change.
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
	e.open()
	entry, made := e.newEntrypoint(r.Method, at, decoded(raw))
	if made && e.find(entry) != nil {
		refuse(w, http.StatusBadRequest, 20217, "The phase has an entry point already.")
		return
	}
	at, sent := e.special(entry, decoded(raw), r.URL.Query())
	var result map[string]any
	if strings.Count(at, "/") > 1 {
		result = e.change(r.Method, at, sent)
	}
	if result == nil {
		refuse(w, http.StatusNotFound, missing, "There is no such object.")
		return
	}
	e.settle(r.Method, at)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encoded(envelope(result)))
}

// change returns the changed object, or nil when there is none.
func (e *edits) change(method, at string, sent any) map[string]any {
	list, name := path.Dir(at), path.Base(at)
	found := e.find(at)
	object, _ := sent.(map[string]any)
	switch {
	case method == http.MethodDelete:
		e.each(at, func(o map[string]any) bool {
			if len(e.deleted[list]) == 0 || !slices.Contains(namesOf(e.deleted[list][len(e.deleted[list])-1]), name) {
				e.deleted[list] = append(e.deleted[list], o)
			}
			return false
		})
		return found
	case method == http.MethodPost && found == nil && e.isList(at):
		several, is := sent.([]any) // some lists accept several at once
		if !is {
			several = []any{sent}
		}
		for _, v := range several {
			if o, is := v.(map[string]any); is {
				found = e.add(at, e.attached(list, nil, o), func(old map[string]any) bool { return holds(old, o) })
			}
		}
		return found
	case found == nil:
		found = e.revived(at)
	}
	if found != nil {
		object = e.attached(path.Dir(list), found, object)
		e.each(at, func(o map[string]any) bool { merge(o, object, name == "managed_headers"); return true })
	}
	return found
}

// add appends to every answer that lists the objects of a place. An object that was deleted and is
// created again gets its old form back.
func (e *edits) add(at string, o map[string]any, same func(old map[string]any) bool) map[string]any {
	if i := slices.IndexFunc(e.deleted[at], same); i >= 0 {
		o = e.deleted[at][i]
		e.deleted[at] = slices.Delete(e.deleted[at], i, i+1)
	} else if o == nil {
		return nil
	} else if o["id"] == nil {
		o["id"] = e.newID()
	}
	for _, s := range e.shown[at] {
		if s.list() != nil && asked(o, s.query) {
			s.put(append(s.list(), o))
		}
	}
	e.each(path.Dir(at), func(owner map[string]any) bool {
		if list, is := owner[path.Base(at)].([]any); is {
			owner[path.Base(at)] = append(list, o)
		}
		return true
	})
	return o
}

// merge applies the sent members to an object: null removes a member, and managed headers are
// matched by id.
func merge(o, sent map[string]any, byID bool) {
	for name, v := range sent {
		_, wasText := o[name].(string)
		list, _ := o[name].([]any)
		changes, isList := v.([]any)
		switch v := v.(type) {
		case nil:
			delete(o, name)
			continue
		case bool, json.Number:
			if wasText { // the provider writes such values as text
				o[name] = fmt.Sprint(v)
				continue
			}
		}
		if !byID || !isList {
			o[name] = v
			continue
		}
		for _, change := range changes {
			for _, part := range list {
				if member(part, "id") == member(change, "id") {
					old, _ := part.(map[string]any)
					now, _ := change.(map[string]any)
					merge(old, now, false)
				}
			}
		}
	}
}

func holds(o, part map[string]any) bool {
	for name, v := range part {
		if fmt.Sprint(o[name]) != fmt.Sprint(v) {
			return false
		}
	}
	return true
}

// newID returns an unused id.
func (e *edits) newID() string {
	e.serial++
	return fmt.Sprintf("ed6e%028x", e.serial)
}
