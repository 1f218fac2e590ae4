package planner

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// task is the instruction for the model.
const task = `You put the changes of a security remediation plan into a good order. The plan is JSON: "checks" explains each kind of ` +
	`change, "items" lists the changes in the order fixed rules gave them.` + "\n" +
	`Answer with "order", the labels of all items, each once, and no other label. Changes that remove attack paths and close ` +
	`severe weaknesses come first; of two that do equally much, the less risky and the reversible one; changes of one resource ` +
	`stay together. An item never comes before those its "after" names. If the order is good already, repeat it.` + "\n" +
	`Answer also with "notes": for at most 10 items a short remark in plain English for the engineer who makes the change, only ` +
	`where it says more than the plan does, at most 280 characters, without labels, links or markup. The list may be empty.`

// question is what is sent: the plan in the catalogue's words. Everything in it is a text of the
// catalogue, a word of a fixed list, a number or a pseudonym.
type question struct {
	labels []string
	plan   string
}

type words struct {
	Check     string               `json:"check"`
	Title     string               `json:"goodState"`
	Resource  posture.ResourceType `json:"resource"`
	Operation string               `json:"operation,omitempty"`
	Caution   string               `json:"caution,omitempty"`
}

type line struct {
	Item         string           `json:"item"`
	Check        string           `json:"check,omitempty"`
	On           string           `json:"on,omitempty"`
	In           string           `json:"in,omitempty"`
	Severity     posture.Severity `json:"severity,omitempty"`
	Risk         string           `json:"risk,omitempty"`
	Reversible   bool             `json:"reversible"`
	RemovesPaths int              `json:"removesPaths,omitempty"`
	After        []string         `json:"after,omitempty"`
}

// catalogue returns the words of every check, by id.
func catalogue() map[string]words {
	out := map[string]words{}
	for _, c := range checks.All() {
		w := words{Check: c.ID, Title: c.Title, Resource: c.Resource}
		if c.Remedy != nil {
			w.Operation, w.Caution = c.Remedy.Operation, c.Remedy.Caution
		}
		out[c.ID] = w
	}
	return out
}

// label names the n-th sent item, so that no id is sent.
func label(n int) string { return fmt.Sprintf("i%d", n+1) }

func (p plan) question(catalogue map[string]words) question {
	var q question
	var doc struct {
		Checks []words `json:"checks"`
		Items  []line  `json:"items"`
	}
	labels, explained := map[int]string{}, map[string]bool{}
	for n, at := range p.sent() {
		labels[at] = label(n)
		q.labels = append(q.labels, label(n))
	}
	for _, at := range p.sent() {
		it := p.items[at]
		l := line{Item: labels[at], On: it.Ref.String(), In: it.Ref.Zone(), Reversible: it.Reversible, RemovesPaths: max(0, it.RemovesPaths)}
		if w, ok := catalogue[it.CheckID]; ok {
			l.Check = w.Check
			if !explained[w.Check] {
				explained[w.Check] = true
				doc.Checks = append(doc.Checks, w)
			}
		}
		if slices.Contains(posture.Severities(), it.Severity) {
			l.Severity = it.Severity
		}
		if slices.Contains([]string{"low", "medium", "high"}, it.Risk) {
			l.Risk = it.Risk
		}
		for _, j := range p.after[at] {
			if before, ok := labels[j]; ok && !slices.Contains(l.After, before) {
				l.After = append(l.After, before)
			}
		}
		doc.Items = append(doc.Items, l)
	}
	q.plan = string(encode(doc))
	return q
}

// encode marshals our own types, which cannot fail.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("a type of this package is not JSON: " + err.Error())
	}
	return b
}

// schema describes the answer as JSON Schema. It uses structs because some servers generate the
// properties in the order of the schema.
type schema struct {
	Type       string      `json:"type"`
	Properties *properties `json:"properties,omitempty"`
	Items      *schema     `json:"items,omitempty"`
	Enum       []string    `json:"enum,omitempty"`
	MinItems   int         `json:"minItems,omitempty"`
	MaxItems   int         `json:"maxItems,omitempty"`
	MaxLength  int         `json:"maxLength,omitempty"`
	Required   []string    `json:"required,omitempty"`
	Closed     *bool       `json:"additionalProperties,omitempty"`
}

type properties struct {
	Order *schema `json:"order,omitempty"`
	Notes *schema `json:"notes,omitempty"`
	Item  *schema `json:"item,omitempty"`
	Note  *schema `json:"note,omitempty"`
}

// maxNotes bounds the requested notes.
const maxNotes = 10

// form returns the schema of the answer. bounded adds length limits, which keep a small model from
// never stopping; the strict modes of hosted ones reject them.
func form(labels []string, bounded bool) *schema {
	closed := false
	one := &schema{Type: "string", Enum: labels}
	text, order := &schema{Type: "string"}, &schema{Type: "array", Items: one}
	notes := &schema{Type: "array", Items: &schema{Type: "object", Properties: &properties{Item: one, Note: text},
		Required: []string{"item", "note"}, Closed: &closed}}
	if bounded {
		text.MaxLength, order.MinItems, order.MaxItems, notes.MaxItems = MaxNote, 1, len(labels), maxNotes
	}
	return &schema{Type: "object", Properties: &properties{Order: order, Notes: notes}, Required: []string{"order", "notes"}, Closed: &closed}
}
