package change

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// Decode decodes JSON and keeps numbers as written.
func Decode(raw json.RawMessage) (any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("read a value of Cloudflare: %w", err)
	}
	return v, nil
}

// Encode encodes a value with sorted members; equal values give equal bytes. Values that JSON
// cannot represent become null.
func Encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

// decoded converts any Go value to the result of Decode for its JSON.
func decoded(v any) any {
	out, err := Decode(Encode(v))
	if err != nil {
		return nil
	}
	return out
}

// Find returns the object of a place from the result of its path, or nil when it is absent.
func (p Place) Find(result any) any {
	if len(p.Match) == 0 {
		return result
	}
	if p.Within != "" {
		object, _ := result.(map[string]any)
		result = object[p.Within]
	}
	list, _ := result.([]any)
	for _, item := range list {
		if Holds(item, p.Match) {
			return item
		}
	}
	return nil
}

// Holds reports whether a live value has everything that want names: all its members, and equal
// lists and scalars. null requires absence, as a value and as a member.
func Holds(live, want any) bool { return holds(decoded(live), decoded(want)) }

func holds(live, want any) bool {
	wanted, object := want.(map[string]any)
	if !object {
		return reflect.DeepEqual(live, want)
	}
	have, ok := live.(map[string]any)
	if !ok {
		return false
	}
	for name, w := range wanted {
		if !holds(have[name], w) {
			return false
		}
	}
	return true
}

// volatile lists the members in which the provider records a write.
func volatile() []string {
	return []string{"modified_on", "modified_at", "created_on", "created_at", "updated_at", "updated_on", "last_updated", "version", "etag",
		"last_used_on", "last_seen_at", "app_count"}
}

// Settled returns a value in canonical form without the members that the provider sets by itself;
// drop names further members of the object itself.
func Settled(v any, drop ...string) json.RawMessage {
	v = settled(decoded(v))
	if object, ok := v.(map[string]any); ok {
		for _, name := range drop {
			delete(object, name)
		}
	}
	return Encode(v)
}

func settled(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for _, name := range volatile() {
			delete(out, name)
		}
		for name, member := range out {
			out[name] = settled(member)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, member := range v {
			out[i] = settled(member)
		}
		return out
	}
	return v
}

// Same reports whether two values differ only in the provider's own records.
func Same(x, y any, drop ...string) bool {
	return bytes.Equal(Settled(x, drop...), Settled(y, drop...))
}

// ID identifies a change: the same check, resource and object have the same id in every plan,
// however the object has to be written.
func ID(accountID, findingID string, e Edit) string {
	return short(accountID, findingID, string(Encode(e.Place)), e.Label)
}

// Digest is the digest of steps, over the current values and what would be sent, regardless of
// order.
func Digest(steps []Step) string {
	each := make([]string, 0, len(steps))
	for _, s := range steps {
		each = append(each, s.Change.ID+"\x00"+Fingerprint(s.Edit))
	}
	slices.Sort(each)
	sum := sha256.Sum256(Encode(each))
	return hex.EncodeToString(sum[:])
}

// Fingerprint identifies an edit as planned: the same object, the same values before and after, the
// same request.
func Fingerprint(e Edit) string {
	view := []any{e.Place, settled(decoded(e.Before)), settled(decoded(e.After)), e.Do.Method, e.Do.Path, settled(decoded(e.Do.Body))}
	sum := sha256.Sum256(Encode(view))
	return hex.EncodeToString(sum[:])
}

func short(parts ...string) string {
	sum := sha256.Sum256(Encode(parts))
	return hex.EncodeToString(sum[:16])
}

// Landed reports whether the object at the place of an edit is as the edit makes it.
func (e Edit) Landed(live any) bool {
	if e.Moved {
		return live != nil && !e.Untouched(live)
	}
	return Holds(live, e.After) || len(e.Or) > 0 && Holds(live, e.Or)
}

// Untouched reports whether the object is as it was before the edit.
func (e Edit) Untouched(live any) bool { return Holds(live, e.Before) }

// Restored returns a function that reports whether an object is as captured before the edit. For an
// edit of some members only those count; an object that was created again has a new id.
func (e Edit) Restored(captured json.RawMessage) func(live any) bool {
	return func(live any) bool {
		switch {
		case e.Again != nil:
			return Holds(live, e.remade())
		case e.Whole:
			return e.Alike(live, captured)
		default:
			return e.Untouched(live)
		}
	}
}

// Alike reports whether two values of the object of an edit are the same. What the edit names by id, such as a policy of an
// application, is another object: the provider shows it in full, and whoever changes it does not change this one.
func (e Edit) Alike(x, y any) bool { return Same(e.own(x), e.own(y)) }

func (e Edit) own(v any) any {
	object, is := decoded(v).(map[string]any)
	if !is {
		return v
	}
	sent, _ := decoded(e.Do.Body).(map[string]any)
	out := maps.Clone(object)
	for name, member := range sent {
		named, _ := member.([]any)
		shown, _ := out[name].([]any)
		if len(named) == 0 || slices.ContainsFunc(named, func(n any) bool { return !isReference(n) }) {
			continue
		}
		references := make([]any, len(shown))
		for i, one := range shown {
			references[i] = one
			if full, is := one.(map[string]any); is {
				references[i] = map[string]any{"id": full["id"], "precedence": full["precedence"]}
			}
		}
		out[name] = references
	}
	return out
}

// isReference reports whether an item of a list names another object by its id.
func isReference(item any) bool {
	object, is := item.(map[string]any)
	if !is {
		_, is = item.(string)
		return is
	}
	for name := range object {
		if name != "id" && name != "precedence" {
			return false
		}
	}
	return idOf(item) != ""
}

// remade is the object that Undo creates again; some collections take a list of one.
func (e Edit) remade() any {
	body := decoded(e.Undo.Body)
	if list, isList := body.([]any); isList && len(list) == 1 {
		return list[0]
	}
	return body
}

// Barred reports whether Undo must not be sent while the object is in its present state.
func (e Edit) Barred(live any) bool { return e.Bar != nil && Holds(live, e.Bar.When) }

// Filled returns a call with the ids that only the provider knows: of the object at the place of
// the edit, and of its parent. It returns false when a required id is missing: a path without it
// would name the whole collection.
func (c Call) Filled(object, parent any) (Call, bool) {
	for name, id := range map[string]string{Created: idOf(object), Parent: idOf(parent)} {
		if strings.Contains(c.Path, name) && id == "" {
			return c, false
		}
		c.Path = strings.ReplaceAll(c.Path, name, url.PathEscape(id))
	}
	return c, true
}

func idOf(v any) string {
	object, _ := v.(map[string]any)
	switch id := object["id"].(type) {
	case string:
		return id
	case json.Number:
		return id.String()
	}
	return ""
}
