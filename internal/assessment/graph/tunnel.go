package graph

import (
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
		named := map[string]bool{}
		for _, in := range ingress {
			named[canonical(in.Hostname)] = true
		}
		for _, in := range ingress {
			if exposure.AnswersItself(in.Service) {
				continue
			}
			for _, host := range b.hostsOf(t, in, named) {
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

// hostsOf returns the hostnames an ingress rule serves. A rule without a hostname serves every
// record that points to the tunnel and that no other rule names.
func (b *builder) hostsOf(t snapshot.Tunnel, in snapshot.Ingress, named map[string]bool) []string {
	if in.Hostname != "" {
		return []string{in.Hostname}
	}
	var out []string
	for name, targets := range b.byName {
		for _, to := range targets {
			if to.alias && exposure.Same(to.content, t.ID+".cfargotunnel.com") && !named[name] {
				out = append(out, name)
			}
		}
	}
	return out
}
