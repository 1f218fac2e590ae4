package api

import (
	"fmt"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// authenticated reads Cloudflare's risk labels. Labels for authentication are given to requests
// without a session identifier, so their absence says nothing if no identifier is configured
// (developers.cloudflare.com/api-shield/security/authentication-posture/). The label for sensitive
// data does not show how the endpoint authenticates; it is a warning all the same, because it is
// the only sign Cloudflare gives.
func authenticated() check.Check {
	return check.Check{
		ID: "CFL-API-004", Title: "No endpoint answers without authentication",
		Category: "api", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Plans: []string{"enterprise"},
		Why:   "An endpoint that answers without credentials is the most common cause of scraped customer data.",
		Fix:   "Demand authentication at the endpoint, or remove the endpoint when nothing uses it.",
		Words: posture.Words{
			Problem:   "API endpoints of {zone} answer without authentication",
			Impact:    "Anyone can read what these endpoints return, one record after the other.",
			Breaks:    "Clients that send no credentials are refused.",
			Dashboard: "Security › Web assets › Endpoints: filter by the labels cf-risk-missing-auth and cf-risk-mixed-auth.",
		},
		References: []string{"https://developers.cloudflare.com/api-shield/management-and-monitoring/endpoint-labels/", docsInsights},
		Controls: check.Controls{
			check.Supports("cis 6.1", "An endpoint that answers anybody was granted to nobody."),
			check.Supports("soc2 CC6.1", "Each endpoint seen in traffic asks for authentication."),
			check.Supports("pci 6.2.4", "Missing authentication is one of the common attacks on interfaces."),
			check.Supports("pci 8.3.1", "Callers of the interface authenticate; how strongly is for the application to say."),
			check.Supports("nist PR.AA-03", "Users and services authenticate before the interface answers."),
		},
		Aliases:  []string{"cfsi:api-unauthenticated", "cfsi:api-mixed-auth", "cfsi:api-sensitive-data"},
		Needs:    []snapshot.Named{snapshot.ZoneAPIOperations, snapshot.ZoneAPILabels},
		Optional: []snapshot.Named{snapshot.ZoneAPIConfiguration},
		Unless:   check.Empty(snapshot.ZoneAPIOperations, nothingSaved),
		Evaluate: evaluateAuthenticated,
	}
}

func evaluateAuthenticated(v *check.View) check.Outcome {
	var missing, doubtful, sensitive []posture.Evidence
	managed, uncounted := 0, ""
	for _, l := range check.Read(v, snapshot.ZoneAPILabels) {
		if l.Source != "managed" || !strings.HasPrefix(l.Name, "cf-risk") {
			continue
		}
		managed++
		var to *[]posture.Evidence
		switch {
		case strings.Contains(l.Name, "missing-auth"):
			to = &missing
		case strings.Contains(l.Name, "mixed-auth"):
			to = &doubtful
		case strings.Contains(l.Name, "sensitive"):
			to = &sensitive
		default:
			continue
		}
		if l.Operations == nil {
			uncounted = l.Name
		} else if *l.Operations > 0 {
			*to = append(*to, check.Evidence(snapshot.ZoneAPILabels, "/"+l.Name+"/operations", fmt.Sprint(*l.Operations), "0"))
		}
	}
	name := v.Zone().Name
	switch {
	case managed == 0:
		return v.NotApplicable("Cloudflare gave no risk label")
	case len(missing) > 0:
		return v.Fail("Endpoints of "+name+" answer without authentication.", append(missing, doubtful...)...)
	case len(doubtful) > 0:
		return v.Warn("Endpoints of "+name+" answer some requests without authentication.", doubtful...).
			As(posture.Words{Problem: "API endpoints of {zone} answer some requests without authentication"})
	case len(sensitive) > 0:
		return v.Warn("Endpoints of "+name+" answer with sensitive data.", sensitive...).
			As(posture.Words{Problem: "API endpoints of {zone} answer with sensitive data",
				Impact: "If an endpoint does not authenticate its callers, anyone can read that data, one record after the other.",
				Breaks: "Clients that send no credentials are refused once the endpoint demands them."})
	case uncounted != "":
		return v.Unknown("Cloudflare did not say how many operations carry the label " + uncounted)
	}
	return unlabelled(v)
}

// unlabelled judges a zone without an authentication label.
func unlabelled(v *check.View) check.Outcome {
	switch set, known := check.ReadOptional(v, snapshot.ZoneAPIConfiguration); {
	case !known:
		return v.Unknown("no endpoint carries a label of missing authentication; whether Cloudflare knows a session identifier to look for " +
			"is not known")
	case len(set.AuthIDs) == 0:
		return v.NotApplicable("API Shield has no session identifier by which Cloudflare tells authenticated requests, which CFL-API-005 judges")
	}
	return v.Pass("No saved endpoint carries a label of missing or mixed authentication.")
}

func authenticatedExamples() []goodtest.Example {
	labels := func(all ...snapshot.APILabel) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneAPILabels, goodtest.Zone, all) }
	}
	label := func(name, source string, n int) snapshot.APILabel {
		return snapshot.APILabel{Name: name, Source: source, Operations: &n}
	}
	none := label("cf-risk-missing-auth", "managed", 0)
	sessions := func(ids ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneAPIConfiguration, goodtest.Zone, snapshot.APIConfiguration{AuthIDs: ids})
		}
	}
	unread := func(b *snapshot.Builder) {
		b.Mark(snapshot.ZoneAPIConfiguration.Source(), snapshot.Denied, "Zone: API Gateway Read", "")
	}
	return []goodtest.Example{
		{Name: "no label, and a cookie identifies sessions", Want: posture.Pass, Edit: goodtest.Edits(labels(none), sessions("cookie:session"))},
		{Name: "no label, and nothing identifies sessions", Want: posture.NotApplicable, Edit: goodtest.Edits(labels(none), sessions())},
		{Name: "missing authentication, and nothing identifies sessions now", Want: posture.Fail,
			Edit: goodtest.Edits(labels(label("cf-risk-missing-auth", "managed", 2)), sessions())},
		{Name: "no label, and the configuration is not readable", Want: posture.Unknown, Edit: goodtest.Edits(labels(none), unread)},
		{Name: "missing authentication, and the configuration is not readable", Want: posture.Fail,
			Edit: goodtest.Edits(labels(label("cf-risk-missing-auth", "managed", 2)), unread)},
		{Name: "missing authentication of one, mixed of another", Want: posture.Fail,
			Edit: labels(label("cf-risk-missing-auth", "managed", 1), label("cf-risk-mixed-auth", "managed", 1))},
		{Name: "no operation has the labels", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "missing authentication", Want: posture.Fail, Resource: goodtest.Zone, Edit: labels(label("cf-risk-missing-auth", "managed", 2))},
		{Name: "mixed authentication", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: labels(none, label("cf-risk-mixed-auth", "managed", 1))},
		{Name: "sensitive data", Want: posture.Warning, Edit: labels(none, label("cf-risk-sensitive", "managed", 3))},
		{Name: "another risk", Want: posture.Pass, Edit: labels(none, label("cf-risk-latency-anomaly", "managed", 3))},
		{Name: "an own label of that name", Want: posture.Pass, Edit: labels(none, label("cf-risk-missing-auth", "user", 3))},
		{Name: "no count", Want: posture.Unknown, Edit: labels(snapshot.APILabel{Name: "cf-risk-missing-auth", Source: "managed"})},
		{Name: "no managed label", Want: posture.NotApplicable, Edit: labels(label("payments", "user", 4))},
		{Name: "no operation", Want: posture.NotApplicable, Edit: saved()},
		{Name: "no API protection", Want: posture.NotApplicable, Edit: notEntitled()},
		{Name: "business plan", Want: posture.NotApplicable, Edit: business()},
	}
}
