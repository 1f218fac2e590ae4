package attackpath

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// tunnelWithoutAccess finds hostnames at which a tunnel publishes a private service without an
// Access application. The host must have a record, or be a balancer, that points to the tunnel: a host
// that does not resolve is not published. A site that may be meant for everyone is left to the check and makes no
// path.
func tunnelWithoutAccess() Kind {
	return Kind{Name: "tunnel-without-access", Title: "Tunnel without Access",
		Finds:   "a tunnel's public hostname of a private service without Access in front",
		Related: []string{"CFL-INSIGHT-005", "CFL-TUNNEL-008", "CFL-ZT-015"},
		find: func(w *world) []candidate {
			var out []candidate
			for _, t := range w.byType[graph.Tunnel] {
				if w.neverRun(t.ID) {
					continue
				}
				for _, service := range w.to(t.ID, graph.Exposes) {
					if w.node(service).Type != graph.Service {
						continue
					}
					private, record := w.unasked(t.ID, service), w.tunnelRecord(service, t.ID)
					if private == "" || record == "" {
						continue
					}
					host := w.label(service)
					nodes, steps := []string{graph.InternetID, record, t.ID}, []string{graph.InternetTo, graph.ResolvesTo}
					if record != service { // a balancer is the host itself
						nodes, steps = extend(nodes, steps, graph.Exposes, service)
					}
					out = append(out, candidate{title: "Tunnel without Access: " + host, gains: "opens the private service behind " + host, grave: true,
						needs: []string{"the service does not ask for a login itself"}, refs: []string{t.ID, service},
						nodes: nodes, steps: steps,
						explanation: "The tunnel " + t.Label + " publishes the private service " + private + " at " + host +
							", and no Access application asks anyone who they are.",
						breaks: []posture.Break{{Change: "Create an Access application for " + host + ".", NodeID: service, CheckIDs: []string{"CFL-ZT-015"}},
							{Change: "Remove the public host name " + host + " from the tunnel " + t.Label + ".", NodeID: t.ID}}})
				}
			}
			return out
		}}
}

// unasked returns the private service at a host of a tunnel that nobody is asked to sign in to, "" for none.
func (w *world) unasked(tunnel, service string) string {
	host := w.label(service)
	settings, _ := snapshot.Read(w.snap, snapshot.TunnelConfig, strings.TrimPrefix(tunnel, graph.Tunnel+":"))
	for i, in := range settings.Ingress {
		if exposure.Reaches(settings.Ingress, i, host) && !exposure.AnswersItself(in.Service) && !in.AccessRequired &&
			exposure.PrivateService(in.Service) && exposure.AudienceOf(host, in.Path, in.Service) == exposure.Few &&
			!w.guardedWith(nil, service, in.Path) {
			return exposure.ServiceName(in.Service)
		}
	}
	return ""
}

// neverRun reports whether a tunnel was never connected (the status inactive, as published), so that
// it leads nowhere. One that is down may be back in a minute and counts.
func (w *world) neverRun(tunnel string) bool { return w.text(tunnel, "status") == "inactive" }

// tunnelRecord returns the record that makes a host of a tunnel reachable, or the host itself where it is a balancer to the
// tunnel. A wildcard does not for a host with a record of its own.
func (w *world) tunnelRecord(service, tunnel string) string {
	host := w.label(service)
	for _, record := range w.from(tunnel, graph.ResolvesTo) {
		if record == service && w.has(posture.PathEdge{From: graph.InternetID, To: service, Type: graph.InternetTo}) {
			return service
		}
		if w.node(record).Type == graph.DNSRecord &&
			w.has(posture.PathEdge{From: graph.InternetID, To: record, Type: graph.InternetTo}) && w.answers(record, host) &&
			(exposure.Same(w.label(record), host) || !w.recorded(host)) {
			return record
		}
	}
	return ""
}

// recorded reports whether a host has a record of its own.
func (w *world) recorded(host string) bool {
	return slices.ContainsFunc(w.byType[graph.DNSRecord], func(n *graph.Node) bool { return exposure.Same(n.Label, host) })
}
