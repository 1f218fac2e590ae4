package siem

import (
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// index is the index or data stream of the part.
func (p part) index() string {
	if p.streamed() {
		return PostureStream(p.opts.Namespace)
	}
	return p.opts.Index
}

// streamed reports whether the part goes to a data stream.
func (p part) streamed() bool { return p.opts.Form == Posture && p.finding != nil }

func (p part) document() (Document, error) {
	b, err := fit(func(r *room) any {
		doc := p.base(r)
		switch {
		case p.finding != nil:
			p.describeFinding(r, &doc)
		case p.path != nil:
			p.describePath(r, &doc)
		default:
			p.describeSummary(&doc)
		}
		doc.Own.Truncated = r.cut
		return doc
	})
	return Document{ID: p.id, Index: p.index(), Create: p.streamed(), Body: b}, err
}

// base fills the fields that every document has.
func (p part) base(r *room) body {
	a := p.doc.Assessment
	at, account := stamp(a.CompletedAt), ecsNamed{ID: r.ident(a.Account.ID), Name: r.text(a.Account.Name)}
	b := body{
		Timestamp: at, ECS: ecsMeta{ecsVersion}, Tags: []string{"edgeposture"}, Labels: map[string]string{"assessment_id": r.ident(a.ID)},
		Event: ecsEvent{Kind: "state", Category: []string{"configuration"}, Type: []string{"info"}, ID: p.id, Created: at,
			Module: "edgeposture", Provider: "cloudflare"},
		Cloud: ecsCloud{Provider: "cloudflare", Account: account}, Organization: account,
		Observer: ecsObserver{Vendor: product, Product: product, Type: "posture-scanner", Version: r.ident(p.doc.Version)},
		Own:      p.own(r),
	}
	if a.Demo {
		b.Tags = append(b.Tags, "simulated")
		b.Labels["simulated_account"], b.Labels["notice"] = "true", demoNotice
	}
	return b
}

// worded adds the demo prefix to a message where it applies.
func (p part) worded(r *room, message string) string {
	if p.doc.Assessment.Demo {
		message = demoPrefix + message
	}
	return r.text(message)
}

func (p part) describeFinding(r *room, b *body) {
	f := p.finding
	b.Message = p.worded(r, orElse(f.Message, f.Reason, f.Title, f.CheckID))
	b.Tags = append(b.Tags, string(f.Category))
	b.Event.Outcome, b.Event.Severity, b.Event.RiskScore = outcome(f.Result), scale(shownSeverity(f)), &f.Risk
	b.Event.Code, b.Event.Action, b.Event.Dataset, b.Event.Reason = r.ident(f.CheckID), "posture-check", "edgeposture.finding",
		r.text(f.Reason)
	b.Rule = &ecsRule{ID: r.ident(f.CheckID), UUID: ruleUUID(f.CheckID), Name: r.text(orElse(f.CheckTitle, f.Title, f.CheckID)),
		Description: r.text(f.Why),
		Category:    string(f.Category), Ruleset: "edgeposture", Version: r.ident(p.doc.Assessment.CatalogueVersion)}
	b.Cloud.Service = &ecsNamed{Name: string(f.Category)}
	b.Threat = &ecsThreat{Enrichments: fill(r, p.paths, func(v *posture.AttackPath) enrichment { return p.enrich(r, v) })}
	var hosts []string
	if f.Resource.Zone != "" {
		hosts = append(hosts, r.text(f.Resource.Zone))
	}
	if t := f.Resource.Type; (t == posture.ResourceZone || t == posture.ResourceDNSRecord) && f.Resource.Name != "" &&
		f.Resource.Name != f.Resource.Zone {
		hosts = append(hosts, r.text(f.Resource.Name))
	}
	if ips := addresses(r, []string{f.NodeID}); len(hosts)+len(ips) > 0 {
		b.Related = &ecsRelated{Hosts: hosts, IP: ips}
	}
	if p.opts.Form == Posture {
		p.describePosture(r, b)
	}
}

func (p part) describePath(r *room, b *body) {
	v := p.path
	b.Message = p.worded(r, orElse(v.Explanation, v.Title, v.ID))
	b.Tags = append(b.Tags, "attack-path")
	b.Event.Kind, b.Event.Outcome, b.Event.Severity = "alert", "failure", scale(v.Severity)
	b.Event.Code, b.Event.Action, b.Event.Dataset = r.ident(v.Kind), "attack-path", "edgeposture.attack_path"
	b.Rule = &ecsRule{ID: r.ident(v.Kind), UUID: ruleUUID("path/" + v.Kind), Name: r.text(orElse(v.Title, v.Kind)), Category: "attack-path",
		Ruleset: "edgeposture", Version: r.ident(p.doc.Assessment.CatalogueVersion)}
	b.Threat = &ecsThreat{Enrichments: []enrichment{p.enrich(r, v)}}
	if ips := addresses(r, v.Nodes); len(ips) > 0 {
		b.Related = &ecsRelated{IP: ips}
	}
}

func (p part) describeSummary(b *body) {
	a := p.doc.Assessment
	b.Message = "Posture assessment of a Cloudflare account."
	if a.Demo {
		b.Message = demoPrefix + b.Message
	}
	b.Tags = append(b.Tags, "assessment")
	b.Event.Outcome, b.Event.Severity = outcomeOf(a), scale(worst(a))
	b.Event.Action, b.Event.Dataset = "posture-assessment", "edgeposture.assessment"
	b.Event.Start, b.Event.End, b.Event.Duration = stampOr(a.StartedAt), stampOr(a.CompletedAt), a.DurationMS*1_000_000
}

// worst returns the worst severity among open findings.
func worst(a posture.AssessmentSummary) posture.Severity {
	for _, s := range posture.Severities() {
		if a.Summary.BySeverity[s] > 0 {
			return s
		}
	}
	return posture.Informational
}
