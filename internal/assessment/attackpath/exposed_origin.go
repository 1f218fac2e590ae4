package attackpath

import (
	"maps"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// exposedOrigin finds records that reveal the address of an origin. It is critical when the same
// origin also serves a proxied host, because then the protection of that host can be bypassed. A
// name that must answer without the proxy, or that may belong to someone else, is reported only in
// that case, because it then reveals the address of the proxied host.
func exposedOrigin() Kind {
	return Kind{Name: "exposed-origin", Title: "Exposed origin",
		Finds:   "a record that is not proxied reveals a server's address (1)",
		Related: []string{"CFL-ASM-001", "CFL-DNS-002", "CFL-DNS-009", "CFL-INSIGHT-005", "CFL-LB-004", "CFL-MTLS-004", "CFL-ZONE-001"},
		find: func(w *world) []candidate {
			direct := w.directs()
			var out []candidate
			for _, record := range w.to(graph.InternetID, graph.InternetTo) {
				n := w.node(record)
				if n.Type != graph.DNSRecord || w.is(record, "proxied") {
					continue
				}
				for _, origin := range w.to(record, graph.ResolvesTo) {
					shared := w.proxiedHost(origin)
					if !w.is(origin, "public") || direct[record] != "" && shared == "" {
						continue
					}
					out = append(out, w.exposed(record, origin, shared, direct[record]))
				}
			}
			return out
		}}
}

// exposed builds the path. Whoever has seen the address keeps it, so changing the record alone does
// not break the path.
func (w *world) exposed(record, origin, shared, direct string) candidate {
	name, address := w.label(record), w.label(origin)
	c := candidate{title: "Exposed origin: " + name, gains: "reaches the server " + address + " past the WAF and rate limits",
		nodes: []string{graph.InternetID, record, origin},
		steps: []string{graph.InternetTo, graph.ResolvesTo},
		explanation: "The record " + name + " is not proxied and answers with " + address +
			", so anyone reaches that server directly: no firewall, " +
			"rate limit or Access rule of the edge is in between.",
		breaks: []posture.Break{{Change: w.hidden(record, w.label(shared), address), NodeID: record},
			{Change: "Admit only Cloudflare's addresses at " + address + ", or put the server behind a tunnel.", NodeID: origin}}}
	if direct != "" {
		c.explanation += " The record has to stay as it is, or may be somebody else's: " + direct + "."
		c.breaks[1].Change = "Admit web requests only from Cloudflare's addresses at " + address + ", or serve " + w.label(shared) +
			" through a tunnel."
	}
	if zone := w.zoneOf(record); w.is(zone, "paused") {
		c.explanation = "The zone " + w.label(zone) + " is paused, so " + name + " answers with " + address +
			" and anyone reaches that server directly."
		// One change for all its names.
		c.breaks[0] = posture.Break{Change: "Unpause the zone " + w.label(zone) + ", and move its servers to new addresses: the present ones " +
			"stay known.", NodeID: zone}
	}
	if shared != "" {
		c.grave, c.gains = true, "reaches the server of "+w.label(shared)+" past everything that protects that host"
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
		if nodes, _ := w.enter(service); nodes != nil && w.web(service) {
			return service
		}
	}
	return ""
}

// hidden describes the change after which a record reveals no origin. The old address is known, so
// the change includes a new one.
func (w *world) hidden(record, host, address string) string {
	if w.directs()[record] != "" {
		return "Move " + host + " to a new address that no other record has: " + address + " stays known."
	}
	return "Proxy the record " + w.label(record) + ", and move the server to a new address: " + address + " stays known."
}

// readDirects returns the records that must, or may have to, answer without the proxy, with the
// reason.
func (w *world) readDirects() map[string]string {
	own := exposure.DomainsOf(slices.Values(w.snap.Zones))
	needed := map[string]exposure.Direct{}
	for _, z := range w.snap.Zones {
		records, _ := snapshot.Read(w.snap, snapshot.ZoneDNSRecords, z.ID)
		maps.Copy(needed, exposure.DirectTargets(records))
	}
	out := map[string]string{}
	for _, z := range w.snap.Zones {
		records, _ := snapshot.Read(w.snap, snapshot.ZoneDNSRecords, z.ID)
		for _, r := range records {
			if r.Proxied || r.Type != "A" && r.Type != "AAAA" && r.Type != "CNAME" {
				continue
			}
			if d, ok := exposure.DirectRecord(r, needed, r.Type == "CNAME" && own.Hold(r.Content)); ok {
				out["dns:"+z.ID+":"+r.ID] = d.Why
			}
		}
	}
	return out
}
