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

// Decode reads JSON with its numbers as they are written.
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

// Encode writes a value with sorted members; equal values give equal bytes. What
// JSON cannot hold becomes null.
func Encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

// decoded turns any Go value into what Decode gives for its JSON.
func decoded(v any) any {
	out, err := Decode(Encode(v))
	if err != nil {
		return nil
	}
	return out
}

// Find gives the object of a place out of the result of its path, nil when it is
// absent.
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

// Holds tells whether a live value has everything a wanted one names: all its
// members, and equal lists and scalars. null wants absence, as a value and as a
// member.
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

// volatile members are the provider's own record of a write.
func volatile() []string {
	return []string{"modified_on", "modified_at", "created_on", "created_at", "updated_at", "updated_on", "last_updated", "version", "etag",
		"last_used_on", "last_seen_at"}
}

// Settled is a value without what the provider writes down by itself, in one
// form; drop names further members of the object itself.
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

// Same tells whether two values differ in nothing but the provider's own record.
func Same(x, y any, drop ...string) bool {
	return bytes.Equal(Settled(x, drop...), Settled(y, drop...))
}

// ID names a change: the same check, resource and object have the same one in
// every plan.
func ID(accountID, findingID string, e Edit) string {
	return short(accountID, findingID, string(Encode(e.Place)), e.Do.Method, e.Label)
}

// Digest is the digest of steps: of what is there and of what would be sent, in
// any order.
func Digest(steps []Step) string {
	each := make([]string, 0, len(steps))
	for _, s := range steps {
		each = append(each, s.Change.ID+"\x00"+Fingerprint(s.Edit))
	}
	slices.Sort(each)
	sum := sha256.Sum256(Encode(each))
	return hex.EncodeToString(sum[:])
}

// Fingerprint tells whether an edit is still the one that was planned: the same
// object, the same values before and after, the same request.
func Fingerprint(e Edit) string {
	view := []any{e.Place, settled(decoded(e.Before)), settled(decoded(e.After)), e.Do.Method, e.Do.Path, settled(decoded(e.Do.Body))}
	sum := sha256.Sum256(Encode(view))
	return hex.EncodeToString(sum[:])
}

func short(parts ...string) string {
	sum := sha256.Sum256(Encode(parts))
	return hex.EncodeToString(sum[:16])
}

// Landed tells whether the object at the place of an edit is as the edit makes it.
func (e Edit) Landed(live any) bool {
	if e.Moved {
		return live != nil && !e.Untouched(live)
	}
	return Holds(live, e.After) || len(e.Or) > 0 && Holds(live, e.Or)
}

// Untouched tells whether it is as it was before the edit.
func (e Edit) Untouched(live any) bool { return Holds(live, e.Before) }

// Returns is the place where the object lies once the edit was undone.
func (e Edit) Returns() Place {
	if e.Again != nil {
		return *e.Again
	}
	return e.Place
}

// Restored tells whether an object is what was captured before the edit. Of an
// edit of some members only those count; an object that was made again has a new id.
func (e Edit) Restored(captured json.RawMessage) func(live any) bool {
	return func(live any) bool {
		switch {
		case e.Again != nil:
			return Holds(live, e.remade())
		case e.Whole:
			return Same(live, captured)
		default:
			return e.Untouched(live)
		}
	}
}

// remade is the object Undo makes again; some collections take a list of one.
func (e Edit) remade() any {
	body := decoded(e.Undo.Body)
	if list, isList := body.([]any); isList && len(list) == 1 {
		return list[0]
	}
	return body
}

// Barred tells whether Undo must not be sent while the object is as it is.
func (e Edit) Barred(live any) bool { return e.Bar != nil && Holds(live, e.Bar.When) }

// Filled is a call with the ids that only the provider knows: of the object at the
// place of the edit, and of what it lies in. It is false when one is wanted and not
// there: a path without it would name the whole collection.
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
