package exporttest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

type maker struct {
	rand  *rand.Rand
	names []string
}

func (m *maker) name() string { return m.names[m.rand.IntN(len(m.names))] }

// ResourceTypes lists every resource type of the catalogue.
func ResourceTypes() []posture.ResourceType {
	return []posture.ResourceType{
		posture.ResourceAccount, posture.ResourceZone, posture.ResourceDNSRecord, posture.ResourceToken, posture.ResourceMember,
		posture.ResourceRule, posture.ResourceAccessApp,
		posture.ResourceAccessPolicy, posture.ResourceTunnel, posture.ResourceWorker, posture.ResourceBucket, posture.ResourceCertificate,
		posture.ResourceLoadBalancer, posture.ResourcePagesProject,
	}
}

// finding makes the i-th finding. Results and types cycle; the rest is random.
func (m *maker) finding(i int) posture.Finding {
	check := m.rand.IntN(40)
	r := posture.Resource{Type: ResourceTypes()[i%len(ResourceTypes())], ID: fmt.Sprintf("r%d", i), Name: m.name()}
	if m.rand.IntN(3) > 0 && r.Type != posture.ResourceAccount {
		r.ZoneID, r.Zone = "z1", m.name()
	}
	f := posture.Finding{
		CheckID: fmt.Sprintf("CFL-GEN-%03d", check), CheckTitle: m.name(), Category: posture.Categories()[check],
		Severity: posture.Severities()[check%5], Result: posture.Results()[i%5],
		Resource: r, Message: m.name(), Why: m.name(), Fix: m.name(), Remediable: i%2 == 0, Evidence: []posture.Evidence{},
		AttackPathIDs: []string{},
		Controls: posture.Controls{CIS: []string{"4.1", "12.6"}, SOC2: []string{"CC6.7"}, PCI: []string{"4.2.1"},
			NIST: []string{"PR.DS-02"}},
		FirstSeen: start().AddDate(0, 0, -m.rand.IntN(3)), LastSeen: start(), Status: posture.StatusOpen, Judged: 1,
	}
	f.Words = &posture.Words{Problem: "{name}: " + m.name(), Impact: m.name(), Breaks: m.name(), Dashboard: m.name() + " › {name}",
		Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/x/{id}", Body: `{"name": "{name}"}`}, Terraform: "# {name}"}
	f.ID = posture.FindingID("0123456789abcdef0123456789abcdef", f.CheckID, r.Type, r.ID)
	f.NodeID = graph.NodeID("0123456789abcdef0123456789abcdef", r)
	for range m.rand.IntN(8) {
		f.Evidence = append(f.Evidence, posture.Evidence{Source: "zone.settings", Pointer: "/" + m.name(), Observed: m.name(),
			Expected: m.name()})
	}
	switch f.Result {
	case posture.Pass, posture.NotApplicable:
		f.Status = posture.StatusResolved
	case posture.Unknown:
		f.Reason, f.Permission = m.name(), m.name()
	case posture.Fail, posture.Warning:
		f.Risk = float64(m.rand.IntN(100)) / 10
	}
	if m.rand.IntN(6) == 0 {
		id := "01890000-0000-7000-8000-00000000e0e0"
		f.Exception, f.ExceptionNote = &id, m.name()
	}
	return f.Worded()
}

// Large makes a document of n findings whose texts are as long as real ones. They are generated while
// they are read, so none is held.
func Large(n int) export.Document {
	d := export.Document{Version: "2.0.0", Checks: []posture.CheckTally{}, Graph: graph.Graph{}}
	d.Assessment = summary(2, "Example Ltd", nil)
	share := largeShare()
	for i := range n {
		f := posture.Finding{Result: share[i*len(share)/n], Severity: posture.Severities()[i%5]}
		d.Assessment.Summary.Count(f.Result, f.Severity)
	}
	d.Assessment.Summary.Total = n
	d.Findings = func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
		return func(yield func(posture.Finding, error) bool) {
			for i := range n {
				result := share[i*len(share)/n]
				if (len(results) == 0 || slices.Contains(results, result)) && !yield(largeFinding(i, result), nil) {
					return
				}
			}
		}
	}
	return d
}

// largeShare distributes results as in an account in a bad state: of ten findings five fail, one warns,
// one is unknown.
func largeShare() []posture.Result {
	return []posture.Result{posture.Fail, posture.Fail, posture.Fail, posture.Fail, posture.Fail, posture.Warning, posture.Unknown,
		posture.Pass, posture.Pass, posture.NotApplicable}
}

func largeFinding(i int, result posture.Result) posture.Finding {
	check, zone := i%210, i%997
	r := posture.Resource{Type: posture.ResourceDNSRecord, ID: largeID("record", i), Name: fmt.Sprintf("host-%d.zone-%d.example", i, zone),
		ZoneID: largeID("zone", zone), Zone: fmt.Sprintf("zone-%d.example", zone)}
	f := posture.Finding{
		CheckID: fmt.Sprintf("CFL-GEN-%03d", check), CheckTitle: fmt.Sprintf("Records of kind %d point at something that is there", check),
		Category: posture.Categories()[check%43],
		Severity: posture.Severities()[i%5], Risk: 7.4, Result: result, Resource: r,
		Message: fmt.Sprintf("The record %s points at 203.0.113.%d, which is reached from the internet without Cloudflare's edge.", r.Name,
			i%255),
		Evidence: []posture.Evidence{{Source: "zone.dns_records", Pointer: fmt.Sprintf("/%d/proxied", i), Observed: "false", Expected: "true"},
			{Source: "zone.dns_records", Pointer: fmt.Sprintf("/%d/content", i), Observed: fmt.Sprintf("203.0.113.%d", i%255),
				Expected: "an address behind the edge"}},
		Why: strings.Repeat("Whoever knows the address goes around every rule that protects the name. ", 3),
		Words: &posture.Words{Problem: "{name} is reached around Cloudflare", Impact: "Attacks arrive that the rules of {zone} would stop.",
			Breaks: "Services other than the web.", Dashboard: "DNS › Records › {name} › Proxy status: Proxied.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/dns_records/{id}", Body: `{"proxied": true}`}},
		Fix: strings.Repeat("Turn the proxy on for the record, or move the service behind a tunnel. ", 2),
		Controls: posture.Controls{CIS: []string{"4.4", "12.2"}, SOC2: []string{"CC6.6"}, PCI: []string{"1.4.2"},
			NIST: []string{"PR.IR-01"}},
		AttackPathIDs: []string{}, FirstSeen: start().Add(-24 * time.Hour), LastSeen: start(), Status: posture.StatusOpen, Judged: 1,
	}
	f.ID = posture.FindingID("0123456789abcdef0123456789abcdef", f.CheckID, r.Type, r.ID)
	f.NodeID = graph.NodeID("0123456789abcdef0123456789abcdef", r)
	if result == posture.Unknown {
		f.Reason, f.Permission = "The token may not read the records of the zone.", "DNS Read"
	}
	return f.Worded()
}

// largeID is an identifier that compresses as badly as the provider's own.
func largeID(kind string, i int) string { return posture.FindingID(kind, "", "", strconv.Itoa(i)) }
