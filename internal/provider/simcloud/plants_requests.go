package simcloud

import "slices"

const (
	phaseRequest         = "http_request_late_transform"
	phaseAnswers         = "http_response_firewall_managed"
	sensitiveDataRuleset = "e22d83c647c64a3eae91b71b499d988e"
)

// plantsRequests make the origin trust visitors' headers. Each header belongs to one plant.
func plantsRequests() []Plant {
	header := func(check, variant, result, expression, name string, op obj) Plant {
		return ruled(check, variant, result, phaseRequest, "rewrite", expression, func(*zone) obj { return obj{"headers": obj{name: op}} })
	}
	copied := func(variant, result, expression, name, from string) Plant {
		return header("CFL-TXRULE-003", variant, result, expression, name, obj{"operation": "set", "expression": from})
	}
	return []Plant{
		copied("user", failed, "true", "X-Authenticated-User", `http.request.headers["x-user"][0]`),
		copied("role", failed, `(starts_with(http.request.uri.path, "/api/"))`, "X-Role", `http.request.uri.args["role"][0]`),
		copied("address", failed, "true", "X-Client-IP", `http.request.headers["x-forwarded-for"][0]`),
		copied("partner", warning, "(ip.src in {185.220.24.0/28})", "X-Partner-User", `http.request.headers["x-user"][0]`),
		header("CFL-TXRULE-004", "certificate", failed, "(cf.tls_client_auth.cert_verified)", "X-Client-Verified",
			obj{"operation": "set", "value": "true"}),
		header("CFL-TXRULE-004", "office", failed, "(ip.src in {185.220.25.0/28})", "X-Internal", obj{"operation": "set", "value": "1"}),
	}
}

// searchesAnswers reports whether a zone has the add-on that scans responses.
func (z *zone) searchesAnswers() bool { return z.plan == "enterprise" && !z.acct.spec.Plain }

// plantsAnswers prevent responses from being scanned. A zone has one such finding, so all share the
// phase as slot.
func plantsAnswers() []Plant {
	answers := func(variant, result string, change func(*zone)) Plant {
		return zonal("CFL-WAF-027", variant, result, phaseAnswers, change).on("enterprise").when(func(a *account) bool { return !a.spec.Plain })
	}
	first := func(z *zone) obj { return z.entrypoint(phaseAnswers).Rules[0] }
	override := func(o obj) func(*zone) {
		return func(z *zone) {
			first(z)["action_parameters"] = obj{"id": sensitiveDataRuleset, "version": "latest", "overrides": o}
		}
	}
	return []Plant{
		answers("not-deployed", failed, func(z *zone) { z.dropEntrypoint(phaseAnswers) }),
		answers("disabled", failed, func(z *zone) { first(z)["enabled"] = false }),
		answers("all-off", failed, override(obj{"enabled": false})),
		answers("one-path", warning, func(z *zone) { first(z)["expression"] = `(starts_with(http.request.uri.path, "/account/"))` }),
		answers("category-off", warning, override(obj{"categories": []obj{{"category": "pii", "enabled": false}}})),
		answers("exception", warning, func(z *zone) {
			r := newRule(z.next("exception"), z.acct.cloud.ago(30*day), "skip", `(starts_with(http.request.uri.path, "/feed/"))`, "Feed")
			r["action_parameters"] = obj{"rulesets": []string{sensitiveDataRuleset}}
			z.entrypoint(phaseAnswers).Rules = slices.Concat([]obj{r}, z.entrypoint(phaseAnswers).Rules)
		}),
	}
}
