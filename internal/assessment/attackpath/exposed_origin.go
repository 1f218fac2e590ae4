package attackpath

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// exposedOrigin finds records that reveal the address of an origin. It is critical
// when the same origin also serves a proxied host, because then the protection of
// that host can be bypassed. A host that mail, name server or service records need
// unproxied is reported only in that case.
func exposedOrigin() Kind {
	return Kind{Name: "exposed-origin", Title: "Exposed origin",
		Finds:   "a record that is not proxied reveals a server's address (1)",
		Related: []string{"CFL-ASM-001", "CFL-DNS-002", "CFL-DNS-009", "CFL-INSIGHT-005", "CFL-LB-004", "CFL-MTLS-004", "CFL-ZONE-001"},
		find: func(w *world) []candidate {
			needed := w.neededDirectly()
			var out []candidate
			for _, record := range w.to(graph.InternetID, graph.InternetTo) {
				n := w.node(record)
				if n.Type != graph.DNSRecord || w.is(record, "proxied") {
					continue
				}
				for _, origin := range w.to(record, graph.ResolvesTo) {
					shared := w.proxiedHost(origin)
					if !w.is(origin, "public") || shared == "" && needed[strings.ToLower(n.Label)] {
						continue
					}
					out = append(out, w.exposed(record, origin, shared))
				}
			}
			return out
		}}
}

func (w *world) exposed(record, origin, shared string) candidate {
	name, address := w.label(record), w.label(origin)
	c := candidate{severity: posture.High, title: "Exposed origin: " + name, nodes: []string{graph.InternetID, record, origin},
		steps: []string{graph.InternetTo, graph.ResolvesTo},
		explanation: "The record " + name + " is not proxied and answers with " + address +
			", so anyone reaches that server directly: no firewall, " +
			"rate limit or Access rule of the edge is in between.",
		breaks: []posture.Break{{Change: "Proxy the record " + name + ".", NodeID: record, CheckIDs: []string{"CFL-DNS-002"}},
			{Change: "Admit only the provider's addresses at " + address + ", or put the server behind a tunnel.", NodeID: origin}}}
	if zone := w.zoneOf(record); w.is(zone, "paused") {
		c.explanation = "The zone " + w.label(zone) + " is paused, so " + name + " answers with " + address +
			" and anyone reaches that server directly."
		c.breaks[0] = posture.Break{Change: "Unpause the zone " + w.label(zone) + ".", NodeID: zone, CheckIDs: []string{"CFL-ZONE-001"}}
	}
	if shared != "" {
		c.severity = posture.Critical
		c.explanation += " The same server serves " + w.label(shared) + " through the edge: what protects that host is walked around this way."
	}
	return c
}

// proxiedHost returns a host that the origin serves through the edge.
func (w *world) proxiedHost(origin string) string {
	for _, service := range w.from(origin, graph.ResolvesTo) {
		if w.node(service).Type != graph.Service {
			continue
		}
		if nodes, _ := w.enter(service); nodes != nil && w.node(service).Properties.Get("proxied") != false && w.text(service, "protocol") == "" {
			return service
		}
	}
	return ""
}

// neededDirectly are the names mail, name server and service records point to:
// proxying them would break those services.
func (w *world) neededDirectly() map[string]bool {
	out := map[string]bool{}
	for _, z := range w.snap.Zones {
		records, _ := snapshot.Read(w.snap, snapshot.ZoneDNSRecords, z.ID)
		for _, r := range records {
			if r.Type == "MX" || r.Type == "NS" || r.Type == "SRV" {
				words := strings.Fields(r.Content)
				if len(words) > 0 {
					out[strings.ToLower(strings.TrimSuffix(words[len(words)-1], "."))] = true
				}
			}
		}
	}
	return out
}
