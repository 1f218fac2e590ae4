// Package explain describes what happens to one request at the edge, step by step in the order that
// Cloudflare publishes: which setting or rule decides, what that overrides, and what is not known
// (developers.cloudflare.com/ruleset-engine/reference/phases-list/,
// /fundamentals/reference/traffic-sequence/). It builds on traffic and admission and is pure. Where
// rules depend on something the request leaves open, such as the country, the step is undecided and
// says what it depends on.
package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Served says whether the edge serves a host.
type Served string

// Undecided means that the sections needed could not be read.
const (
	Yes       Served = "yes"
	No        Served = "no"
	Undecided Served = "undecided"
)

// Outcome is what a step does to the request.
type Outcome string

// Passed means that the step has rules but none matches the request; NotConfigured that it has no
// rules.
const (
	Applied       Outcome = "applied"
	Skipped       Outcome = "skipped"
	Blocked       Outcome = "blocked"
	Challenged    Outcome = "challenged"
	Passed        Outcome = "passed"
	NotConfigured Outcome = "not_configured"
	Unclear       Outcome = "undecided"
)

// Explanation is what happens to a request.
type Explanation struct {
	URL          string             `json:"url"`
	AssessmentID string             `json:"assessmentId"`
	Account      posture.AccountRef `json:"account"`
	Zone         Zone               `json:"zone"`
	Host         string             `json:"host"`
	Served       Served             `json:"served" enum:"yes,no,undecided" doc:"Whether the edge serves the host."`
	Outcome      string             `json:"outcome" doc:"What becomes of the request, in one sentence."`
	Steps        []PhaseStep        `json:"steps" doc:"In the order in which they are taken. None follow one that ends the request."`
	Undecided    []Gap              `json:"undecided" doc:"What is not known, and why."`
	Findings     []Named            `json:"findings" doc:"The findings that steps name, in the order of the steps."`

	record string // DNS record of the host
}

// Zone is the zone of the host.
type Zone struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Named is an open finding in short form.
type Named struct {
	ID       string           `json:"id"`
	CheckID  string           `json:"checkId"`
	Title    string           `json:"title"`
	Severity posture.Severity `json:"severity"`
}

// PhaseStep is one phase of the request.
type PhaseStep struct {
	Phase      string            `json:"phase"`
	Title      string            `json:"title"`
	Outcome    Outcome           `json:"outcome" enum:"applied,skipped,blocked,challenged,passed,not_configured,undecided"`
	By         *By               `json:"by,omitempty" doc:"The setting or rule that decides."`
	Overrode   []By              `json:"overrode,omitempty" doc:"What would have decided without it."`
	Detail     string            `json:"detail" doc:"What happens, in one sentence."`
	Values     map[string]string `json:"values" doc:"What is in force at this step."`
	FindingIDs []string          `json:"findingIds" doc:"Open findings about what this step reads."`
	Dashboard  string            `json:"dashboard,omitempty" doc:"The page of Cloudflare's dashboard where what decides is changed."`

	sources []snapshot.Named
	gap     *Gap
	ends    bool
	script  string // the Worker that takes the request
}

// By is a setting or a rule.
type By struct {
	Source  string `json:"source"`
	Pointer string `json:"pointer"`
	ID      string `json:"id" doc:"Of the rule, or the name of the setting."`
	Name    string `json:"name"`
	Scope   string `json:"scope" enum:"account,zone"`
}

// Gap is something that is not known.
type Gap struct {
	What       string `json:"what"`
	Why        string `json:"why"`
	Permission string `json:"permission,omitempty"`
}

// walk is the state while a request is followed.
type walk struct {
	snap      *snapshot.Snapshot
	zone      snapshot.Zone
	query     Query
	host      traffic.Host
	kept      traffic.Kept
	condition string
	allowed   *traffic.By // the IP Access rule that lets the visitor skip the firewall
	byCountry bool        // allowed is by country, which leaves the managed rules in force
}

// Of explains a request to a host of a zone.
func Of(snap *snapshot.Snapshot, zone snapshot.Zone, q Query) Explanation {
	w := &walk{snap: snap, zone: zone, query: q.normalised(snap, zone), kept: traffic.NewKept(&traffic.Texts{})}
	w.condition = w.query.condition(asked(snap, zone))
	out := Explanation{URL: q.URL.String(), Account: posture.AccountRef{ID: snap.Account.ID, Name: snap.Account.Name},
		Zone: Zone{zone.ID, zone.Name}, Host: q.Host(), Steps: []PhaseStep{}, Undecided: []Gap{}, Findings: []Named{}}
	var dns PhaseStep
	dns, out.Served = w.dns()
	out.add(w, dns)
	if out.Served == Yes {
		for _, take := range steps() {
			s := take(w)
			out.add(w, s)
			if s.ends {
				break
			}
		}
	}
	out.record, out.Outcome = w.host.Record, out.conclude(w.host)
	return out
}

// steps lists the steps for a request that the edge serves, in order.
func steps() []func(*walk) PhaseStep {
	return []func(*walk) PhaseStep{
		(*walk).edgeTLS, (*walk).alwaysHTTPS, (*walk).ddos, (*walk).normalisation, (*walk).singleRedirects, (*walk).rewrites,
		(*walk).pageRules, (*walk).configuration, (*walk).originRules, (*walk).addresses, (*walk).customRules, (*walk).rateLimits,
		(*walk).managedRules, (*walk).bots, (*walk).others, (*walk).access, (*walk).bulkRedirects, (*walk).requestHeaders, (*walk).cache,
		(*walk).snippets, (*walk).worker, (*walk).origin, (*walk).responseHeaders, (*walk).responseRules,
	}
}

func (e *Explanation) add(w *walk, s PhaseStep) {
	s.FindingIDs, s.Dashboard = []string{}, w.dashboard(s)
	if s.Values == nil {
		s.Values = map[string]string{}
	}
	if s.gap != nil {
		e.Undecided = append(e.Undecided, *s.gap)
	}
	e.Steps = append(e.Steps, s)
}

// IDs returns the ids of the rules and records that decide a step or were overridden.
func (e *Explanation) IDs() []string {
	var out []string
	for _, s := range e.Steps {
		for _, by := range s.all() {
			if by.ID != "" && !slices.Contains(out, by.ID) {
				out = append(out, by.ID)
			}
		}
	}
	return out
}

func (s PhaseStep) all() []By {
	if s.By == nil {
		return s.Overrode
	}
	return append([]By{*s.By}, s.Overrode...)
}

// Mark adds open findings to the steps that read what they are about: findings of the zone, and
// those of the rules that decide.
func (e *Explanation) Mark(findings []posture.Finding) {
	titles := map[string]Named{}
	for _, f := range findings {
		if f.Result != posture.Fail && f.Result != posture.Warning || f.Resource.Type == posture.ResourceDNSRecord && f.Resource.ID != e.record {
			continue
		}
		for i := range e.Steps {
			if s := &e.Steps[i]; s.about(f) && !slices.Contains(s.FindingIDs, f.ID) {
				s.FindingIDs = append(s.FindingIDs, f.ID)
				titles[f.ID] = Named{f.ID, f.CheckID, f.Title, f.Severity}
			}
		}
	}
	e.Findings = e.Findings[:0]
	for _, s := range e.Steps {
		for _, id := range s.FindingIDs {
			if n, first := titles[id]; first {
				e.Findings = append(e.Findings, n)
				delete(titles, id)
			}
		}
	}
}

func (s PhaseStep) about(f posture.Finding) bool {
	if slices.ContainsFunc(s.all(), func(b By) bool { return b.ID != "" && b.ID == f.Resource.ID }) {
		return true
	}
	return slices.ContainsFunc(f.Evidence, func(e posture.Evidence) bool {
		first, _, _ := strings.Cut(strings.TrimPrefix(e.Pointer, "/"), "/")
		return slices.ContainsFunc(s.sources, func(n snapshot.Named) bool {
			setting, one := n.(snapshot.ZoneSetting)
			return n.Source() == e.Source && (!one || first == string(setting))
		})
	})
}

// conclude summarises the outcome of the request.
func (e *Explanation) conclude(host traffic.Host) string {
	last := e.Steps[len(e.Steps)-1]
	if e.Served != Yes || last.ends {
		return last.Detail
	}
	var perhaps, asked []string
	reached := behind(host.Kind)
	for _, s := range e.Steps {
		if s.script != "" {
			reached = "the Worker " + s.script
		}
		switch s.Outcome {
		case Unclear:
			perhaps = append(perhaps, s.Title)
		case Challenged:
			asked = append(asked, s.Title)
		}
	}
	out := "The request reaches " + reached + "."
	if len(asked) > 0 {
		out = fmt.Sprintf("The request reaches %s once the visitor has passed what %s asks for.", reached, list(asked))
	}
	if len(perhaps) > 0 {
		out += " Not decided from here: " + list(perhaps) + "."
	}
	return out
}

func behind(k traffic.Kind) string {
	servers := map[traffic.Kind]string{traffic.Origin: "the origin server", traffic.Balancer: "a server of the load balancer",
		traffic.Tunnel: "the service behind the tunnel", traffic.Pages: "the Pages project", traffic.Worker: "the Worker",
		traffic.Bucket: "the R2 bucket", traffic.OtherZone: "another zone of Cloudflare"}
	return cmp.Or(servers[k], "no server: the record holds a placeholder address")
}

func list(of []string) string {
	if len(of) == 1 {
		return of[0]
	}
	return strings.Join(of[:len(of)-1], ", ") + " and " + of[len(of)-1]
}
