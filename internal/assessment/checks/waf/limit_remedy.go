package waf

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

func limitInputs() []change.Input {
	return []change.Input{
		{Name: "expression", Description: "Which requests are counted, as an expression of the rules language.",
			Example: `(http.request.uri.path eq "/login")`},
		{Name: "requests_per_period", Description: "How many requests one address may make in a period, from 1 to 1000000.", Example: "20"},
		{Name: "period", Description: "Length of the period in seconds, as the plan allows: 10, 60, 120, 300, 600 or 3600.", Example: "60"},
		{Name: "mitigation_timeout", Description: "For how many seconds an address stays blocked, from 10 to 86400, as the plan allows.",
			Example: "600"},
	}
}

// limitChoice is what a person chose for a rate limit.
type limitChoice struct {
	text                      string
	requests, period, timeout int
}

// bounds are the limits of a plan: number of rules, and seconds of a period and of a block
// (developers.cloudflare.com/waf/rate-limiting-rules/#availability).
type bounds struct{ rules, period, timeout int }

func limitsOf(plan string) bounds {
	switch plan {
	case "free":
		return bounds{1, 10, 10}
	case "pro":
		return bounds{2, 60, 3600}
	case "business":
		return bounds{5, 600, 86400}
	default:
		return bounds{100, 3600, 86400}
	}
}

// proposeLimit adds one rate limit as a person specified it.
func proposeLimit(c *propose.Case) ([]change.Edit, error) {
	const phase = "http_ratelimit"
	entry, rules, err := c.Rules(phase)
	if err != nil {
		return nil, err
	}
	inForce := func(r map[string]any) bool {
		return propose.Flag(r, "enabled") && !slices.Contains([]string{"", "log", "skip"}, propose.Text(r, "action"))
	}
	if slices.ContainsFunc(rules, inForce) {
		return nil, propose.Refuse("The zone has a rate limiting rule that is on. If a new assessment has the finding again, the rule acts too " +
			"late or meets no request to a host of the zone; change it by hand.")
	}
	choice, err := chosenLimit(c)
	if err != nil {
		return nil, err
	}
	if most := limitsOf(c.ZonePlan).rules; len(rules) >= most {
		return nil, propose.Refuse("The plan of the zone allows %d rate limiting rules and has %d; change one of them by hand.", most, len(rules))
	}
	return c.AppendMarked(phase, entry, map[string]any{"action": "block", "expression": choice.text, "enabled": true, "description": c.Mark(),
		"ratelimit": map[string]any{"characteristics": []any{"cf.colo.id", "ip.src"}, "period": choice.period,
			"requests_per_period": choice.requests, "mitigation_timeout": choice.timeout}})
}

func chosenLimit(c *propose.Case) (limitChoice, error) {
	var l limitChoice
	into := map[string]any{"expression": &l.text, "requests_per_period": &l.requests, "period": &l.period, "mitigation_timeout": &l.timeout}
	for _, input := range limitInputs() {
		if err := c.Input(input.Name, into[input.Name]); err != nil {
			return l, err
		}
	}
	most := limitsOf(c.ZonePlan)
	_, err := expression.Parse(l.text)
	switch {
	case err != nil:
		return l, propose.Refuse("The input expression cannot be read as an expression of the rules language; correct it.")
	case l.requests < 1 || l.requests > 1_000_000:
		return l, propose.Refuse("The input requests_per_period must lie between 1 and 1000000.")
	case !slices.Contains([]int{10, 60, 120, 300, 600, 3600}, l.period) || l.period > most.period:
		return l, propose.Refuse("The input period must be 10, 60, 120, 300, 600 or 3600 seconds, and the plan of the zone allows %d at most.",
			most.period)
	case l.timeout < 10 || l.timeout > most.timeout:
		return l, propose.Refuse("The input mitigation_timeout must lie between 10 and %d seconds on the plan of the zone.", most.timeout)
	}
	return l, nil
}
