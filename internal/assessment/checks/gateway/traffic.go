package gateway

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// before reports whether one rule is evaluated before another in a filter. In the HTTP filter,
// do-not-inspect rules come first, then isolation rules, then the rest; within each group the
// precedence decides
// (developers.cloudflare.com/cloudflare-one/traffic-policies/order-of-enforcement/).
func before(a, b admission.Rule, filter string) bool {
	stage := func(r admission.Rule) int {
		switch {
		case filter != "http":
			return 0
		case r.Action == "off":
			return 1
		case r.Action == "isolate" || r.Action == "noisolate":
			return 2
		default:
			return 3
		}
	}
	return stage(a) < stage(b) || stage(a) == stage(b) && a.Precedence < b.Precedence
}

// overtaken reports whether a rule of a filter is never evaluated, because earlier exceptions
// take all traffic of everyone, alone or together, as a fact tells: everything or mostly.
func overtaken(r admission.Rule, filter string, rules []admission.Rule, fact func(expression.Expr) exposure.Fact) truth.Value {
	out := admission.NewUnion(fact)
	for _, e := range rules {
		isolation := e.Action == "noisolate"
		excepts := isolation && r.Action == "isolate" || r.Action == "allow" && e.Action == "block" ||
			slices.Contains([]string{"allow", "off", "noscan"}, e.Action)
		if e.Enabled && excepts && !admission.Limited(e) && slices.Contains(e.Filters, filter) && before(e, r, filter) {
			out.Add(e)
		}
	}
	return out.All()
}

// decryptWords returns the words for a finding that TLS decryption closes.
func decryptWords(problem string) posture.Words {
	return posture.Words{Problem: problem, ByHand: true,
		Breaks:    "Applications with pinned certificates and devices without the Gateway root certificate fail.",
		Dashboard: "Zero Trust › Traffic policies › Traffic settings › Proxy and inspection › Inspect HTTPS requests with TLS decryption: On.",
		Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/gateway/configuration",
			Body: `{"settings": {"tls_decrypt": {"enabled": true}}}`}}
}

// neverAsked returns the words for a rule after one that matches all traffic.
func neverAsked(problem string) posture.Words {
	return posture.Words{Problem: problem, ByHand: true,
		Breaks: "What the rule before it let through is judged by the rules behind it.",
		Dashboard: "Zero Trust › Traffic policies › Firewall policies › HTTP: narrow the rule that matches all traffic, or move it behind " +
			"the others."}
}
