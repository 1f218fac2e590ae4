package toolserver

import (
	"context"
	"net/url"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/assessment/explain"
)

type explainIn struct {
	URL          string   `json:"url" jsonschema:"the address, such as https://shop.example.com/login"`
	Method       string   `json:"method,omitempty" jsonschema:"GET when absent"`
	Source       string   `json:"source,omitempty" jsonschema:"address or range of the visitor"`
	Country      string   `json:"country,omitempty" jsonschema:"where the visitor is: two letters"`
	UserAgent    string   `json:"userAgent,omitempty" jsonschema:"the user agent"`
	Headers      []string `json:"headers,omitempty" jsonschema:"request headers as Name: value"`
	AssessmentID string   `json:"assessmentId,omitempty" jsonschema:"UUID of an assessment; the newest of the account of the host when absent"`
}

func (t *tools) addExplain() {
	add[explainIn, explain.Explanation](t, tool{name: "explain_request", title: "What happens to a request", effect: reads,
		about: "Follows one request through DNS, redirects, rules, Access, cache and Workers to the origin: what happens at each step, which " +
			"setting or rule decides, what is undecided and why, and the open findings there. What the request does not tell, such as the " +
			"country, stays open."}, explainRequest)
}

func explainRequest(ctx context.Context, c *client.Client, in explainIn) (answer, error) {
	q := url.Values{"url": {in.URL}, "header": in.Headers}
	for name, value := range map[string]string{"method": in.Method, "source": in.Source, "country": in.Country, "userAgent": in.UserAgent,
		"assessmentId": in.AssessmentID} {
		if value != "" {
			q.Set(name, value)
		}
	}
	got, err := c.Explain(ctx, q)
	if err != nil {
		return answer{}, err
	}
	e := got.Value
	e.Steps = nil
	for _, s := range got.Value.Steps {
		if s.Outcome != explain.NotConfigured {
			e.Steps = append(e.Steps, s)
		}
	}
	return answer{e.Outcome, e}, nil
}
