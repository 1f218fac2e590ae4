package graph

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// tunnels adds the tunnels, the hostnames they publish, and the private networks that enrolled
// devices reach through them.
func (b *builder) tunnels() {
	for _, t := range known(b, snapshot.Tunnels, b.account) {
		id := Tunnel + ":" + t.ID
		b.node(id, Tunnel, t.Name, Property{"status", t.Status})
		b.edge(id, BelongsTo, b.accountID())
		ingress := known(b, snapshot.TunnelConfig, t.ID).Ingress
		for i, in := range ingress {
			if exposure.AnswersItself(in.Service) {
				continue
			}
			for _, host := range b.hostsOf(t, ingress, i) {
				service := b.service(host, Property{"backend", exposure.ServiceName(in.Service)},
					Property{"privateBackend", exposure.PrivateService(in.Service)}, Property{"accessRequired", in.AccessRequired})
				b.edge(id, Exposes, service)
			}
		}
	}
	for _, r := range known(b, snapshot.PrivateRoutes, b.account) {
		id := Tunnel + ":" + r.TunnelID
		if b.find(id) == nil {
			continue
		}
		b.node(id, Tunnel, "", Property{"privateRoutes", true})
		network := b.origin(r.Network)
		b.node(network, Origin, r.Network, Property{"network", true})
		b.edge(id, Exposes, network)
	}
}

// hostsOf returns the hostnames an ingress rule serves that no earlier rule takes: its own, and for one
// without a hostname or with a star those of the records that point to the tunnel.
func (b *builder) hostsOf(t snapshot.Tunnel, rules []snapshot.Ingress, at int) []string {
	host := canonical(rules[at].Hostname)
	var out []string
	if host != "" && host != "*" && exposure.Reaches(rules, at, host) {
		out = append(out, host)
	}
	if host != "" && !strings.HasPrefix(host, "*") {
		return out
	}
	for name, targets := range b.byName {
		for _, to := range targets {
			if to.alias && name != host && exposure.Same(to.content, t.ID+".cfargotunnel.com") && exposure.Reaches(rules, at, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
