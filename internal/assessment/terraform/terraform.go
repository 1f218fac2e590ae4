// Package terraform reads Terraform plans, as printed by terraform show -json, and returns the
// Cloudflare API calls that applying them would make, in the form that whatif takes. It is pure.
//
// It supports both generations of Cloudflare's provider: since version 5 its attributes have the
// names of the API; version 4 has blocks and names of its own. Changes that cannot be expressed as
// calls are listed with the reason, so that nothing is omitted silently.
package terraform

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Plan is what a Terraform plan would change at Cloudflare.
type Plan struct {
	Steps     []whatif.Step  // in the order in which they are made
	NotJudged []NotJudged    // sorted by address
	Undecided []whatif.Doubt // values known only after apply
}

// NotJudged is a changed resource of Cloudflare's provider that is not judged, with the reason.
type NotJudged = whatif.NotJudged

// object is a JSON object.
type object = map[string]any

// document is a plan as printed by terraform show -json.
type document struct {
	FormatVersion   string           `json:"format_version"`
	Errored         bool             `json:"errored"`
	Values          json.RawMessage  `json:"values"` // present in a state
	ResourceChanges []resourceChange `json:"resource_changes"`
	Configuration   struct {
		Root module `json:"root_module"`
	} `json:"configuration"`
}

type resourceChange struct {
	Address  string `json:"address"`
	Mode     string `json:"mode"`
	Type     string `json:"type"`
	Provider string `json:"provider_name"`
	Change   struct {
		Actions []string `json:"actions"`
		Before  any      `json:"before"`
		After   any      `json:"after"`
		Unknown any      `json:"after_unknown"`
	} `json:"change"`
}

// module is the configuration of a module's resources.
type module struct {
	Resources []struct {
		Address     string `json:"address"`
		Expressions object `json:"expressions"`
	} `json:"resources"`
	Calls map[string]struct {
		Module module `json:"module"`
	} `json:"module_calls"`
}

// place adds the expressions of each resource by its configuration address, which has no index.
func (m module) place(prefix string, to map[string]object) {
	for _, r := range m.Resources {
		to[prefix+r.Address] = r.Expressions
	}
	for name, c := range m.Calls {
		c.Module.place(prefix+"module."+name+".", to)
	}
}

// resource is one resource of a plan.
type resource struct {
	address, kind string
	before, after object // nil: none
	unknown       object // true, or nested, where a value is known only after apply
	expressions   object // nil when the plan does not contain them
}

// values returns the values that say what a change is about: those before a removal, otherwise those after it.
func (r *resource) values(does string) object {
	if does == remove {
		return r.before
	}
	return r.after
}

// Read parses a plan. The error is one sentence.
func Read(plan []byte) (Plan, error) {
	doc, err := parsed(plan)
	if err != nil {
		return Plan{}, err
	}
	expressions := map[string]object{}
	doc.Configuration.Root.place("", expressions)
	out, all := Plan{Steps: []whatif.Step{}, NotJudged: []NotJudged{}, Undecided: []whatif.Doubt{}}, kinds()
	type ranked struct {
		whatif.Step
		rank int
	}
	var made, gone []ranked
	for _, c := range doc.ResourceChanges {
		does := effect(c)
		if does == "" {
			continue
		}
		r := resource{address: c.Address, kind: c.Type, expressions: expressions[unindexed(c.Address)]}
		r.before, _ = c.Change.Before.(object)
		r.after, _ = c.Change.After.(object)
		r.unknown, _ = c.Change.Unknown.(object)
		k, known := lookup(all, &r)
		if !known {
			out.NotJudged = append(out.NotJudged, NotJudged{Address: r.address, Type: r.kind, Why: "resources of this type are not judged"})
			continue
		}
		calls, why := k.calls(&r, does)
		if why != "" {
			out.NotJudged = append(out.NotJudged, NotJudged{Address: r.address, Type: r.kind, Why: why})
			continue
		}
		unknown := r.unset(k)
		for _, call := range calls {
			step := ranked{whatif.Step{Call: call}, k.rank}
			step.Change.Address = r.address
			for _, path := range unknown {
				step.Unknown = append(step.Unknown, k.named(path))
			}
			if does == remove {
				gone = append(gone, step)
			} else {
				made = append(made, step)
			}
		}
		for _, path := range unknown {
			out.Undecided = append(out.Undecided, whatif.Doubt{What: r.address + "." + path, Why: "its value is known only after apply"})
		}
	}
	byRank := func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) }
	slices.SortStableFunc(made, byRank)
	slices.SortStableFunc(gone, byRank)
	slices.Reverse(gone)
	for _, s := range slices.Concat(made, gone) {
		out.Steps = append(out.Steps, s.Step)
	}
	slices.SortStableFunc(out.NotJudged, func(a, b NotJudged) int { return cmp.Compare(a.Address, b.Address) })
	return out, nil
}

func parsed(plan []byte) (document, error) {
	var doc document
	plan = bytes.TrimSpace(bytes.TrimPrefix(plan, []byte("\xef\xbb\xbf")))
	switch {
	case len(plan) == 0:
		return doc, errors.New("the plan is empty: give the output of terraform show -json")
	case bytes.HasPrefix(plan, []byte("PK")):
		return doc, errors.New("this is the plan file itself: give what terraform show -json prints of it")
	case bytes.HasPrefix(plan, []byte("\xff\xfe")), bytes.HasPrefix(plan, []byte("\xfe\xff")):
		return doc, errors.New("the plan is encoded as UTF-16: save the output of terraform show -json as UTF-8")
	}
	var top struct {
		FormatVersion any `json:"format_version"`
	}
	d := json.NewDecoder(bytes.NewReader(plan))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		if json.Unmarshal(plan, &top) == nil && top.FormatVersion != nil {
			return doc, fmt.Errorf("the plan does not have the form of the output of terraform show -json: %w", posture.Misfit(err))
		}
		return doc, fmt.Errorf("the plan is not the output of terraform show -json: %w", posture.Misfit(err))
	}
	major, _, _ := strings.Cut(doc.FormatVersion, ".")
	switch {
	case doc.FormatVersion == "":
		return doc, errors.New("the plan is not the output of terraform show -json: it has no format_version")
	case major != "1":
		return doc, fmt.Errorf("format_version %.20q of the plan is not known: version 1 is, which Terraform writes since 1.0", doc.FormatVersion)
	case d.More():
		return doc, errors.New("more follows the end of the plan: give the output of terraform show -json, and nothing else")
	case doc.Errored:
		return doc, errors.New("terraform could not finish this plan: run terraform plan again until it ends without an error")
	case doc.ResourceChanges == nil && doc.Values != nil:
		return doc, errors.New("this is a state: give the output of terraform show -json for a file of terraform plan -out")
	}
	return doc, nil
}

// The effects of a change.
const (
	create  = "create"
	update  = "update"
	remove  = "delete"
	replace = "replace"
	unclear = "unclear"
)

// effect returns what a change does at Cloudflare, or "" when it does nothing there or is not from
// Cloudflare's provider.
func effect(c resourceChange) string {
	if c.Mode != "managed" || !strings.HasSuffix("/"+c.Provider, "/cloudflare/cloudflare") {
		return ""
	}
	switch actions := strings.Join(c.Change.Actions, ","); actions {
	case "no-op", "read", "forget", "":
		return ""
	case "create", "create,forget", "forget,create":
		return create
	case "update":
		return update
	case "delete":
		return remove
	case "delete,create", "create,delete":
		return replace
	default:
		return unclear
	}
}

// unindexed returns the configuration address of a resource: module.a["x.y"].t.n[0] becomes
// module.a.t.n.
func unindexed(address string) string {
	var out strings.Builder
	inside, quoted := false, false
	for i := 0; i < len(address); i++ {
		switch c := address[i]; {
		case quoted && c == '\\':
			i++
		case inside && c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			inside = true
		case c == ']':
			inside = false
		case !inside:
			out.WriteByte(c)
		}
	}
	return out.String()
}
