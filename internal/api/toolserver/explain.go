package toolserver

import (
	"context"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/assessment/explain"
)

func (t *tools) addExplain() {
	add[client.ExplainRequest, explain.Explanation](t, tool{name: "explain_request", title: "What happens to a request", effect: reads,
		judges: true,
		about: "Follows one request through DNS, redirects, rules, Access, cache and Workers to the origin: what happens at each step, which " +
			"setting or rule decides, what is undecided and why, and the open findings there. What the request does not tell, such as the " +
			"country, stays open."}, explainRequest)
}

func explainRequest(ctx context.Context, c *client.Client, in client.ExplainRequest) (answer, error) {
	got, err := c.Explain(ctx, in)
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
	// The outcome may name a rule or a Worker, so it is part of the data.
	return answer{english.Plural(len(e.Steps), "step follows", "steps follow") + "; outcome says where the request ends.", e}, nil
}
