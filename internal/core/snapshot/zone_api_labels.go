package snapshot

import "encoding/json"

// ZoneAPILabels holds the labels with the number of operations that have each.
const ZoneAPILabels Key[[]APILabel] = "zone/api_labels"

// APILabel is a label on operations. Operations is the number of operations that have it, nil when
// not returned.
type APILabel struct {
	Name       string `json:"name"`
	Source     string `json:"source"`
	Operations *int   `json:"operations,omitempty"`
}

// SortKey orders labels by name; an own and a managed label may have the same name.
func (l APILabel) SortKey() string {
	if l.Name == "" {
		return ""
	}
	return l.Name + " " + l.Source
}

type apiLabelWire struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Mapped *struct {
		Operations json.RawMessage `json:"operations"`
	} `json:"mapped_resources"`
}

// zoneAPILabels lists the labels with the number of operations that have each
// (developers.cloudflare.com/api/resources/api_gateway/subresources/labels/methods/list/).
func zoneAPILabels() Source {
	return list(ZoneAPILabels, Source{
		Path: "/zones/{zone_id}/api_gateway/labels?with_mapped_resource_counts=true", Paging: Paging{Kind: ByPage, Size: 50},
		Permission: permissionAPI,
		Plans:      []string{"enterprise"}, After: []string{ZoneAPIOperations.Source()}, Skip: noOperations(),
		Example: `[{"name":"cf-risk-missing-auth","description":"drop","source":"managed","metadata":{"note":"drop"},` +
			`"mapped_resources":{"operations":2},"created_at":"2026-01-01T00:00:00Z"}]`,
	}, func(w apiLabelWire) APILabel {
		out := APILabel{Name: w.Name, Source: w.Source}
		if w.Mapped != nil {
			out.Operations = counted(w.Mapped.Operations)
		}
		return out
	})
}

// counted parses a counter that is a number, a list, or an object with a number; the reference
// leaves its form open.
func counted(raw json.RawMessage) *int {
	var n int
	var list []json.RawMessage
	var object struct {
		Count *int `json:"count"`
		Total *int `json:"total"`
	}
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case json.Unmarshal(raw, &n) == nil:
		return &n
	case json.Unmarshal(raw, &list) == nil:
		n = len(list)
		return &n
	case json.Unmarshal(raw, &object) != nil:
		return nil
	case object.Count != nil:
		return object.Count
	default:
		return object.Total
	}
}
