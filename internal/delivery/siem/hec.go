package siem

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// envelope is an event as a collector accepts it (Splunk, "Format events for HTTP Event Collector").
// Time is seconds since 1970 with milliseconds; fields are indexed and must be flat.
type envelope struct {
	Time       json.Number       `json:"time"`
	Host       string            `json:"host"`
	Source     string            `json:"source"`
	SourceType string            `json:"sourcetype"`
	Index      string            `json:"index,omitempty"`
	Event      cimEvent          `json:"event"`
	Fields     map[string]string `json:"fields"`
}

// unknownWord stands for a required value that is missing; it is the word that the model itself uses.
const unknownWord = "unknown"

// cimEvent has the fields of the Common Information Model's Vulnerabilities and Alerts at top level.
// cve and cvss are omitted: a configuration has neither, and invented numbers would be averaged with
// real ones.
type cimEvent struct {
	ID            string   `json:"id"`
	Category      string   `json:"category"`
	Dest          string   `json:"dest"`
	Dvc           string   `json:"dvc"`
	Severity      string   `json:"severity"`
	SeverityID    string   `json:"severity_id"`
	Signature     string   `json:"signature"`
	SignatureID   string   `json:"signature_id"`
	VendorProduct string   `json:"vendor_product"`
	Xref          []string `json:"xref,omitempty"`
	App           string   `json:"app"`
	Description   string   `json:"description"`
	Src           string   `json:"src"`
	Type          string   `json:"type"`
	User          string   `json:"user"`
	VendorAccount string   `json:"vendor_account,omitempty"`

	Result       string       `json:"result"`
	Outcome      string       `json:"outcome"`
	AccountName  string       `json:"account_name,omitempty"`
	AssessmentID string       `json:"assessment_id"`
	FindingID    string       `json:"finding_id,omitempty"`
	Message      string       `json:"message"`
	Reason       string       `json:"reason,omitempty"`
	Notice       string       `json:"notice,omitempty"`
	Enrichments  []enrichment `json:"attack_path_enrichments,omitempty"`
	Own          own          `json:"edgeposture"`
}

// sourceType is the source type of a kind of event; add-ons assign tags by it.
func sourceType(kind string) string { return "edgeposture:" + kind }

func (p part) event() (Event, error) {
	b, err := fit(func(r *room) any {
		a := p.doc.Assessment
		e := cimEvent{ID: p.id, Dvc: p.opts.Host, VendorProduct: product, App: "edgeposture", Src: unknownWord, User: unknownWord,
			VendorAccount: r.ident(a.Account.ID), AccountName: r.text(a.Account.Name), AssessmentID: r.ident(a.ID), Own: p.own(r)}
		switch {
		case p.finding != nil:
			p.eventOfFinding(r, &e)
		case p.path != nil:
			p.eventOfPath(r, &e)
		default:
			p.eventOfSummary(r, &e)
		}
		fields := map[string]string{"assessment_id": r.ident(a.ID), "document": p.kind, "document_id": p.id, "result": e.Result,
			"severity": e.Severity, "account_id": r.ident(a.Account.ID), "category": e.Category}
		if p.finding != nil {
			fields["finding_id"], fields["check_id"] = e.FindingID, e.SignatureID
		}
		if a.Demo {
			fields["simulated_account"], e.Notice = "true", demoNotice
		}
		e.Own.Truncated = r.cut
		return envelope{Time: epoch(a.CompletedAt), Host: p.opts.Host, Source: "edgeposture", SourceType: sourceType(p.kind),
			Index: p.opts.CollectorIndex, Event: e, Fields: fields}
	})
	return Event{ID: p.id, Body: b}, err
}

func (p part) eventOfFinding(r *room, e *cimEvent) {
	f, severity := p.finding, shownSeverity(p.finding)
	e.Category, e.Severity, e.SeverityID = orElse(string(f.Category), unknownWord), orElse(string(severity), unknownWord),
		fmt.Sprint(scale(severity))
	e.Dest = r.text(orElse(f.Resource.Name, f.Resource.Zone, f.Resource.ID, unknownWord))
	e.Signature, e.SignatureID = r.text(orElse(f.CheckTitle, f.Title, f.CheckID, unknownWord)), r.ident(orElse(f.CheckID, unknownWord))
	e.Description, e.Message = r.text(orElse(f.Why, f.Title, unknownWord)), p.worded(r, orElse(f.Message, f.Reason, f.Title, f.CheckID))
	e.Result, e.Outcome, e.FindingID, e.Reason = string(f.Result), outcome(f.Result), r.ident(f.ID), r.text(f.Reason)
	e.Type = "event"
	switch f.Result {
	case posture.Fail:
		e.Type = "alert"
	case posture.Warning:
		e.Type = "warning"
	}
	for _, set := range []struct {
		name string
		ids  []string
	}{{"cis", f.Controls.CIS}, {"soc2", f.Controls.SOC2}, {"pci", f.Controls.PCI}, {"nist", f.Controls.NIST}} {
		e.Xref = append(e.Xref, fill(r, set.ids, func(id string) string { return set.name + ":" + r.ident(id) })...)
	}
	e.Enrichments = fill(r, p.paths, func(v *posture.AttackPath) enrichment { return p.enrich(r, v) })
}

func (p part) eventOfPath(r *room, e *cimEvent) {
	v := p.path
	e.Category, e.Severity, e.SeverityID = "attack-path", orElse(string(v.Severity), unknownWord), fmt.Sprint(scale(v.Severity))
	e.Dest, e.Src = r.text(orElse(p.node.Label, v.TargetNodeID, unknownWord)), r.text(orElse(v.EntryNodeID, unknownWord))
	e.Signature, e.SignatureID = r.text(orElse(v.Title, v.Kind, unknownWord)), r.ident(orElse(v.Kind, unknownWord))
	e.Description, e.Message = r.text(orElse(v.Explanation, v.Title, v.ID)), p.worded(r, orElse(v.Explanation, v.Title, v.ID))
	e.Result, e.Outcome, e.Type = string(posture.Fail), outcome(posture.Fail), "alert"
	e.Enrichments = []enrichment{p.enrich(r, v)}
}

func (p part) eventOfSummary(r *room, e *cimEvent) {
	a := p.doc.Assessment
	e.Category, e.Severity, e.SeverityID = "assessment", string(worst(a)), fmt.Sprint(scale(worst(a)))
	e.Dest = r.text(orElse(a.Account.Name, a.Account.ID, unknownWord))
	e.Signature, e.SignatureID, e.Type = "Posture assessment", "assessment", "event"
	e.Description = "Posture assessment of a Cloudflare account."
	e.Message = p.worded(r, e.Description)
	e.Outcome = outcomeOf(a)
	e.Result = map[string]string{"success": string(posture.Pass), "failure": string(posture.Fail)}[e.Outcome]
	e.Result = orElse(e.Result, string(posture.Unknown))
}

// epoch formats seconds with three decimals, which no receiver rounds.
func epoch(t time.Time) json.Number {
	ms := max(t.UnixMilli(), 0)
	return json.Number(fmt.Sprintf("%d.%03d", ms/1000, ms%1000))
}
