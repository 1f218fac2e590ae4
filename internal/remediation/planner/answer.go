package planner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// answer is the requested form of the answer.
type answer struct {
	Order []string `json:"order"`
	Notes []struct {
		Item string `json:"item"`
		Note string `json:"note"`
	} `json:"notes"`
}

// parse parses what the model wrote, which must be exactly one JSON object of the requested form.
func parse(content []byte) (answer, bool) {
	var a answer
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if d.Decode(&a) != nil {
		return answer{}, false
	}
	_, err := d.Token()
	return a, errors.Is(err, io.EOF)
}

// take converts an answer into advice. Unknown and repeated labels are ignored; items that the
// answer leaves out follow in the order of the rules; then each dependency is moved in front of the
// item that needs it. why completes "… because <provider> " when nothing in the answer is about the
// plan.
func (p plan) take(content []byte) (a Advice, why string) {
	said, ok := parse(content)
	if !ok {
		return a, notForm
	}
	sent := p.sent()
	at := make(map[string]int, len(sent))
	for n, i := range sent {
		at[label(n)] = i
	}
	placed := make([]bool, len(p.items))
	order := make([]int, 0, len(p.items))
	for _, l := range said.Order {
		if i, ok := at[l]; ok && !placed[i] {
			placed[i] = true
			order = append(order, i)
		}
	}
	named := len(order)
	for _, i := range p.given {
		if !placed[i] {
			order = append(order, i)
		}
	}
	a.Notes = p.notes(said, at)
	if named == 0 && len(a.Notes) == 0 {
		return Advice{}, nothing
	}
	legal, _ := repair(order, p.after) // arrange has excluded circles
	a.Order, a.Used = p.ids(legal), true
	if len(sent) < len(p.items) {
		a.Note = fmt.Sprintf("Only the first %d of %d items were sent; the others follow in the order of the rules.", len(sent), len(p.items))
	}
	return a, ""
}

// notes returns the first remark on each item, if it is usable.
func (p plan) notes(said answer, at map[string]int) map[string]string {
	out, seen := map[string]string{}, map[string]bool{}
	for _, n := range said.Notes {
		i, ok := at[n.Item]
		if !ok || seen[n.Item] {
			continue
		}
		seen[n.Item] = true
		if text := sanitized(n.Note); text != "" {
			out[p.items[i].ID] = text
		}
	}
	return out
}
