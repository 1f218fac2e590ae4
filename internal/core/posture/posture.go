// Package posture is the vocabulary of the product: severities, results, findings, resources,
// categories, assessments, jobs and problems. It imports no other package of this module, needs no
// clock, network or disk, and every JSON name in it is part of the API contract.
package posture

import (
	"fmt"
	"strings"
)

// Severity ranks how bad a finding is if it is real.
type Severity string

// The five severities, worst first.
const (
	Critical      Severity = "critical"
	High          Severity = "high"
	Medium        Severity = "medium"
	Low           Severity = "low"
	Informational Severity = "informational"
)

// Severities lists every severity, worst first.
func Severities() []Severity {
	return []Severity{Critical, High, Medium, Low, Informational}
}

// ParseSeverity parses a severity from a caller; "info" is accepted for informational. Anything
// else is an error that names the choices.
func ParseSeverity(s string) (Severity, error) {
	if s == "info" {
		return Informational, nil
	}
	for _, v := range Severities() {
		if string(v) == s {
			return v, nil
		}
	}
	return "", fmt.Errorf("severity %q is not one of critical, high, medium, low, informational", s)
}

// Rank orders severities: critical is 4, informational and anything unknown 0.
func (s Severity) Rank() int {
	switch s {
	case Critical:
		return 4
	case High:
		return 3
	case Medium:
		return 2
	case Low:
		return 1
	default:
		return 0
	}
}

// Weight is how much a severity counts in sums: 10, 7, 4 and 2; informational and unknown
// severities count 0.
func (s Severity) Weight() float64 {
	switch s {
	case Critical:
		return 10
	case High:
		return 7
	case Medium:
		return 4
	case Low:
		return 2
	default:
		return 0
	}
}

// Result is the verdict of a check on one resource. The words are the wire form.
type Result string

// The five results. NotApplicable never counts in a score; Unknown counts like a failure.
const (
	Pass          Result = "PASS"
	Fail          Result = "FAIL"
	Warning       Result = "WARNING"
	Unknown       Result = "UNKNOWN"
	NotApplicable Result = "NOT_APPLICABLE"
)

// Results lists every result in the order reports show them.
func Results() []Result {
	return []Result{Fail, Warning, Unknown, Pass, NotApplicable}
}

// Passes reports whether a result requires no action: PASS or NOT_APPLICABLE.
func (r Result) Passes() bool { return r == Pass || r == NotApplicable }

// ParseResult parses a result, ignoring letter case.
func ParseResult(s string) (Result, error) {
	for _, v := range Results() {
		if strings.EqualFold(string(v), s) {
			return v, nil
		}
	}
	return "", fmt.Errorf("result %q is not one of FAIL, WARNING, UNKNOWN, PASS, NOT_APPLICABLE", s)
}

// ResourceType is the kind of thing a finding is about.
type ResourceType string

// Resource types of the catalogue.
const (
	ResourceAccount      ResourceType = "account"
	ResourceZone         ResourceType = "zone"
	ResourceDNSRecord    ResourceType = "dns_record"
	ResourceToken        ResourceType = "token"
	ResourceMember       ResourceType = "member"
	ResourceRule         ResourceType = "rule"
	ResourceAccessApp    ResourceType = "access_app"
	ResourceAccessPolicy ResourceType = "access_policy"
	ResourceTunnel       ResourceType = "tunnel"
	ResourceWorker       ResourceType = "worker"
	ResourceBucket       ResourceType = "r2_bucket"
	ResourceCertificate  ResourceType = "certificate"
	ResourceLoadBalancer ResourceType = "load_balancer"
	ResourcePagesProject ResourceType = "pages_project"
)

// Resource identifies what a finding is about. Name is for people, ID is the provider's identifier;
// ZoneID and Zone are set when it belongs to a zone.
type Resource struct {
	Type   ResourceType `json:"type"`
	ID     string       `json:"id"`
	Name   string       `json:"name"`
	ZoneID string       `json:"zoneId,omitempty"`
	Zone   string       `json:"zone,omitempty"`
}

// OwnZone returns the id of the zone a resource is or belongs to, or "".
func (r Resource) OwnZone() string {
	if r.ZoneID == "" && r.Type == ResourceZone {
		return r.ID
	}
	return r.ZoneID
}

// UID identifies a resource within an account: ids of records and rules are unique at least within
// their zone.
func (r Resource) UID() string {
	if r.ZoneID != "" && r.Type != ResourceZone {
		return string(r.Type) + ":" + r.ZoneID + ":" + r.ID
	}
	return string(r.Type) + ":" + r.ID
}

// Evidence is one observed fact behind a verdict: the source it was read from, a JSON pointer (RFC
// 6901) into that source's stored value, what was there and what would have been right. It never
// contains secret values.
type Evidence struct {
	Source   string `json:"source"`
	Pointer  string `json:"pointer"`
	Observed string `json:"observed"`
	Expected string `json:"expected"`
}

// Strength says how much a passing check proves about a control.
type Strength string

// Shows: the account meets the control, as far as a Cloudflare account can. Supports: part of the
// control is met. Touches: the check is related to the control and decides nothing.
const (
	Shows    Strength = "shows"
	Supports Strength = "supports"
	Touches  Strength = "touches"
)

// Mapping says why a check is evidence for a framework control, and how strong.
type Mapping struct {
	Framework string   `json:"framework"`
	Control   string   `json:"control"`
	Strength  Strength `json:"strength" enum:"shows,supports,touches"`
	Reason    string   `json:"reason"`
}

// Controls lists the framework controls a check gives evidence for.
type Controls struct {
	CIS  []string `json:"cis"`
	SOC2 []string `json:"soc2"`
	PCI  []string `json:"pci"`
	NIST []string `json:"nist"`
}
