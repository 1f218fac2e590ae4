package httpapi

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
)

// Example is a shortened request and response of an operation.
type Example struct {
	Body   any    `json:"body,omitempty"`
	Status string `json:"status"`
	Answer any    `json:"answer"`
}

// A system test keeps it accurate: it calls the service with the demo account.
//
//go:embed examples.json
var examplesJSON []byte

// examples adds the committed examples to the OpenAPI document.
func (s *Server) examples() {
	var all map[string]Example
	if err := json.Unmarshal(examplesJSON, &all); err != nil {
		panic(fmt.Sprintf("the examples of the API cannot be read: %v", err)) // a mistake in the source, which any test finds
	}
	doc := s.api.OpenAPI()
	for path, item := range doc.Paths {
		for _, op := range operations(item) {
			one, there := all[op.Method+" "+path]
			if !there {
				continue
			}
			if op.RequestBody != nil && one.Body != nil {
				op.RequestBody.Content["application/json"].Example = one.Body
			}
			if r := op.Responses[one.Status]; r != nil && r.Content != nil {
				r.Content["application/json"].Example = one.Answer
			}
		}
	}
	doc.Components.Schemas.Map()["ProblemDetails"].Examples = []any{all["problem"].Answer}
}

// operations returns the operations of a path.
func operations(item *huma.PathItem) []*huma.Operation {
	var out []*huma.Operation
	for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
		if op != nil {
			out = append(out, op)
		}
	}
	return out
}
