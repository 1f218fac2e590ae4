package setting

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// maxErrors bounds the field errors of one problem.
const maxErrors = 32

// update is a requested change: canonical values by key, where an empty one clears the key.
type update map[Key]secret.Text

// parse parses the JSON object of a change. One problem (invalid_request) names every invalid
// member, and repeats no value.
func parse(body []byte) (update, error) {
	members, err := object(body)
	if err != nil {
		return nil, posture.Invalid("body", "The settings must be one JSON object of texts, such as "+
			"{\"searchUrl\":\"https://search.example:9200\"}.", nil)
	}
	out := update{}
	wrong := map[string]string{}
	for _, m := range members {
		d, known := Define(Key(m.name))
		var value *string
		switch {
		case !known:
			wrong[m.name] = "is no setting; GET /api/settings lists all"
		case m.again:
			wrong[m.name] = "comes twice; send it once"
		case json.Unmarshal(m.value, &value) != nil || value == nil:
			wrong[m.name] = `is not a text; send a text, or "" to clear it`
		case *value == "":
			out[d.Key] = secret.Text{}
		default:
			canonical, err := d.Check(*value)
			if err != nil {
				wrong[m.name] = err.Error()
			}
			out[d.Key] = secret.New(canonical)
		}
	}
	if len(wrong) > 0 {
		return nil, refusal(wrong)
	}
	return out, nil
}

func refusal(wrong map[string]string) *posture.Problem {
	p := &posture.Problem{Code: posture.CodeInvalid}
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		if len(p.Errors) == maxErrors {
			break
		}
		shown := name
		if len(shown) > 64 {
			shown = shown[:64] + "…"
		}
		p.Errors = append(p.Errors, posture.FieldError{Location: "body." + shown, Message: wrong[name]})
	}
	p.Detail = p.Errors[0].Location + " " + p.Errors[0].Message + ". Nothing was saved."
	return p
}

type member struct {
	name  string
	value json.RawMessage
	again bool // an earlier member has the same name
}

// object reads the members of a JSON object. Unlike a map it reports repeated names, because
// readers differ in which one they use.
func object(body []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not an object")
	}
	var out []member
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{}
		m.name, _ = t.(string)
		m.again, seen[m.name] = seen[m.name], true
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than an object")
	}
	return out, nil
}

// apply returns the values after a change. A credential is bound to the origin of the address in
// force after the change, which may be the default of its key; one that is saved while there is no
// address is bound by the first one that is set.
func (v Values) apply(c update) Values {
	next := Values{saved: maps.Clone(v.saved), env: v.env}
	if next.saved == nil {
		next.saved = map[Key]saved{}
	}
	for k, value := range c {
		if value.IsZero() {
			delete(next.saved, k)
			continue
		}
		next.saved[k] = saved{Value: value}
	}
	for _, d := range Definitions() {
		s, ok := next.saved[d.Key]
		if !ok || d.For == "" || !s.Origin.IsZero() {
			continue
		}
		address, source := next.find(d.For)
		if source == FromNone {
			address = defaultOf(d.For)
		}
		if !address.IsZero() {
			// Validated when it was saved or read; otherwise the credential stays unbound and unused.
			origin, _ := outbound.Origin(address.Reveal())
			s.Origin = secret.New(origin)
			next.saved[d.Key] = s
		}
	}
	return next
}
