// Package propose turns a finding and live values into the edits that fix it. It sends nothing.
package propose

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Remedy describes the one change that fixes a finding. It is data and a pure function of live
// values: nothing in it sends anything.
type Remedy struct {
	Operation  string // method and path template of the provider's API
	Body       string // request body, in words or JSON
	Risk       string // low, medium or high
	Reversible bool
	Inverse    string
	Caution    string

	// Inputs are values a person must choose; Propose asks for them with Case.Input.
	Inputs []change.Input

	// Propose returns the edits that fix the finding of a case, none when the live values are
	// already right. It is called again until everything it asks for has been read, and must return
	// the errors of the case's methods unchanged.
	Propose func(*Case) ([]change.Edit, error)
}

// Of returns the edits that fix the finding of a case. Records of a secondary zone are transferred from its primary, so they are
// not changed here (https://developers.cloudflare.com/dns/zone-setups/zone-transfers/cloudflare-as-secondary/).
func (r *Remedy) Of(c *Case) ([]change.Edit, error) {
	if strings.Contains(r.Operation, "/zones/{zone_id}/dns_records") {
		_, zone, err := c.At("/zones/{zone_id}")
		if err != nil {
			return nil, err
		}
		if Text(zone, "type") == "secondary" {
			return nil, Refuse("The zone takes its records from a primary DNS server, so they cannot be changed here: follow the steps of " +
				"the finding.")
		}
	}
	return r.Propose(c)
}

// Errors that say why a finding gets no edit.
type (
	// UnreadError means that what Case.Unread lists must be read first.
	UnreadError struct{}
	// RefusedError is a caution of the catalogue that forbids the change here.
	RefusedError struct{ Reason string }
	// ChoiceError means that a person must choose a value first.
	ChoiceError struct{ Input string }
)

// Error implements error.
func (UnreadError) Error() string { return "something must be read first" }

// Error returns the reason.
func (e *RefusedError) Error() string { return e.Reason }

// Error names the input.
func (e *ChoiceError) Error() string { return "the value " + e.Input + " must be chosen by a person" }

// Refuse returns a *RefusedError that says in one sentence why a change is not proposed.
func Refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// Want is a value a case needs to read.
type Want struct {
	Path     string
	Header   map[string]string
	Question *snapshot.Question
}

// Key identifies a want.
func (w Want) Key() string {
	if w.Question != nil {
		return w.Question.Scope()
	}
	return w.Path + "\x00" + string(change.Encode(w.Header))
}

// Facts holds what was read for the cases of one plan. It is not safe for concurrent use.
type Facts struct {
	values  map[string]any
	lookups map[string]snapshot.Lookup
	failed  map[string]error
}

// NewFacts returns empty facts.
func NewFacts() *Facts {
	return &Facts{values: map[string]any{}, lookups: map[string]snapshot.Lookup{}, failed: map[string]error{}}
}

// Learn records the result of a read, nil for "not found", or its error.
func (f *Facts) Learn(w Want, value any, err error) {
	if err != nil {
		f.failed[w.Key()] = err
		return
	}
	f.values[w.Key()] = value
}

// Heard records the answer of a DNS look-up, or its error.
func (f *Facts) Heard(w Want, l snapshot.Lookup, err error) {
	if err != nil {
		f.failed[w.Key()] = err
		return
	}
	f.lookups[w.Key()] = l
}

// Case is one finding to be fixed, with the live values read for it.
type Case struct {
	Account  posture.AccountRef
	Finding  posture.Finding
	ZonePlan string    // plan.legacy_id of the zone of the finding
	Now      time.Time // time of the plan
	TokenID  string    // the token of the assessment, which must stay usable
	Inputs   map[string]json.RawMessage
	Policy   policy.Policy
	Facts    *Facts

	wanted []Want
}

// Unread returns and clears what Propose asked for that has not been read.
func (c *Case) Unread() []Want {
	out := c.wanted
	c.wanted = nil
	return out
}

// Read returns the result of a path of the provider's API, nil for "not found". Lists are complete.
func (c *Case) Read(path string) (any, error) { return c.ReadWith(path, nil) }

// ReadWith is Read with request headers.
func (c *Case) ReadWith(path string, header map[string]string) (any, error) {
	w := Want{Path: path, Header: header}
	if err := c.Facts.failed[w.Key()]; err != nil {
		return nil, err
	}
	value, known := c.Facts.values[w.Key()]
	if !known {
		c.wanted = append(c.wanted, w)
		return nil, UnreadError{}
	}
	return value, nil
}

// Locate returns the object at a place, nil when it is absent.
func (c *Case) Locate(p change.Place) (map[string]any, error) {
	result, err := c.ReadWith(p.Path, p.Header)
	if err != nil {
		return nil, err
	}
	found := p.Find(result)
	if found == nil {
		return nil, nil
	}
	object, ok := found.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("read %s: Cloudflare gave something else than an object", p.Path)
	}
	return maps.Clone(object), nil
}

// At returns the place of the object that is read at the path of a template (Path), and the object.
func (c *Case) At(template string, pairs ...string) (change.Place, map[string]any, error) {
	place := change.Place{Path: c.Path(template, pairs...)}
	live, err := c.Locate(place)
	return place, live, err
}

// List returns the items of a list that are objects.
func (c *Case) List(path string) ([]map[string]any, error) {
	value, err := c.Read(path)
	if err != nil {
		return nil, err
	}
	return Objects(value), nil
}

// Objects returns the items of a decoded list that are objects.
func Objects(value any) []map[string]any {
	list, _ := value.([]any)
	out := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if object, ok := item.(map[string]any); ok {
			out = append(out, object)
		}
	}
	return out
}

// Ask returns the answer of a live DNS look-up.
func (c *Case) Ask(q snapshot.Question) (snapshot.Lookup, error) {
	w := Want{Question: &q}
	if err := c.Facts.failed[w.Key()]; err != nil {
		return snapshot.Lookup{}, err
	}
	l, known := c.Facts.lookups[w.Key()]
	if !known {
		c.wanted = append(c.wanted, w)
		return snapshot.Lookup{}, UnreadError{}
	}
	return l, nil
}

// Input decodes a value a person chose. It returns *ChoiceError when the value is missing and
// *RefusedError when its type is wrong. A command line sends everything as text, so a string that
// holds the value, or a comma-separated list, is accepted.
func (c *Case) Input(name string, into any) error {
	raw, chosen := c.Inputs[name]
	if !chosen || len(raw) == 0 || string(raw) == "null" {
		return &ChoiceError{Input: name}
	}
	forms := []json.RawMessage{raw}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		forms = append(forms, json.RawMessage(text), change.Encode(strings.Split(text, ",")))
	}
	for _, form := range forms {
		if json.Unmarshal(form, into) == nil {
			return nil
		}
	}
	return Refuse("The input %s of %s cannot be used: it is not of the type the example shows.", name, c.Finding.CheckID)
}

// Path fills a template: {account_id}, {zone_id}, {id} (of the resource), {name}
// (of the resource) and further names given in pairs. Values are escaped.
func (c *Case) Path(template string, pairs ...string) string {
	values := []string{"{account_id}", c.Account.ID, "{zone_id}", c.Finding.Resource.ZoneID, "{id}", url.PathEscape(c.Finding.Resource.ID),
		"{name}", url.PathEscape(c.Finding.Resource.Name)}
	for i := 0; i+1 < len(pairs); i += 2 {
		values = append(values, "{"+pairs[i]+"}", url.PathEscape(pairs[i+1]))
	}
	return strings.NewReplacer(values...).Replace(template)
}

// Mark is the name or reference of an object created for this finding, by which it is found again.
func (c *Case) Mark() string { return "edgeposture-" + strings.ToLower(c.Finding.CheckID) }

// Waits reports whether an error means that more values must be read.
func Waits(err error) bool { return errors.Is(err, UnreadError{}) }

// Text returns a string member of a decoded object, or "".
func Text(object map[string]any, name string) string {
	s, _ := object[name].(string)
	return s
}

// Flag returns a boolean member of a decoded object.
func Flag(object map[string]any, name string) bool {
	b, _ := object[name].(bool)
	return b
}

// Member follows a dotted path into a decoded object; nil when a step is missing.
func Member(object map[string]any, path string) any {
	var at any = object
	for name := range strings.SplitSeq(path, ".") {
		o, _ := at.(map[string]any)
		at = o[name]
	}
	return at
}

// Without returns a copy of an object without some members.
func Without(object map[string]any, names ...string) map[string]any {
	out := maps.Clone(object)
	maps.DeleteFunc(out, func(name string, _ any) bool { return slices.Contains(names, name) })
	return out
}
