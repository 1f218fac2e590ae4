package toolserver

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/edgeposture/edgeposture/internal/api/client"
)

// scheme is the URI scheme of the resources.
const scheme = "edgeposture://"

// addResources adds resources that a host can show to a model without a tool call.
func (t *tools) addResources() {
	t.server.AddResource(&mcp.Resource{URI: scheme + "assessments/latest", Name: "latest-assessment", Title: "The latest assessment",
		Description: "Score, coverage, counts and the issues to close first.", MIMEType: "application/json"},
		t.read(func(ctx context.Context, c *client.Client, _ string) (answer, error) {
			return getAssessment(ctx, c, Choice{})
		}))
	t.server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: scheme + "assessments/{id}", Name: "assessment", Title: "One assessment",
		Description: "Score, coverage, counts and the issues to close first.", MIMEType: "application/json"},
		t.read(func(ctx context.Context, c *client.Client, id string) (answer, error) {
			return getAssessment(ctx, c, Choice{AssessmentID: id})
		}))
	t.server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: scheme + "checks/{id}", Name: "check", Title: "One check",
		Description: "What a check looks at, why, and how to close what it finds.", MIMEType: "application/json"},
		t.read(func(ctx context.Context, c *client.Client, id string) (answer, error) {
			a, err := c.Check(ctx, id)
			return answer{value: a.Raw}, err
		}))
}

// read serves a resource with the value of a tool's answer, without its words. The id is the last
// segment of the URI.
func (t *tools) read(work func(ctx context.Context, c *client.Client, id string) (answer, error)) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		var header http.Header
		if req.Extra != nil {
			header = req.Extra.Header
		}
		uri := req.Params.URI
		a, err := work(ctx, t.client(header), uri[strings.LastIndexByte(uri, '/')+1:])
		if err != nil {
			return nil, err
		}
		raw, err := json.Marshal(a.value)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "application/json", Text: visible(raw)}}}, nil
	}
}
