package graph

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// apps adds the Access applications and the hosts they protect. It runs last,
// because an application protects hosts that the other parts have added.
func (b *builder) apps() {
	enrolled := b.enrolled()
	for _, a := range known(b, snapshot.AccessApps, b.account) {
		id := AccessApp + ":" + a.ID
		b.node(id, AccessApp, a.Name, Property{"appType", a.Type}, Property{"domain", a.Domain})
		b.edge(id, BelongsTo, b.accountID())
		if a.Type == "warp" {
			// Anyone who may enrol a device reaches the private networks.
			b.edge(InternetID, InternetTo, id)
			for _, tunnel := range enrolled {
				b.edge(id, Protects, tunnel)
			}
			continue
		}
		doors := exposure.AccessEndpoints([]snapshot.AccessApp{a})
		if len(doors) == 0 {
			continue
		}
		b.edge(InternetID, InternetTo, id)
		for _, d := range doors {
			b.protect(id, d)
		}
	}
}

// enrolled lists the tunnels that carry private networks.
func (b *builder) enrolled() []string {
	var out []string
	for _, t := range known(b, snapshot.Tunnels, b.account) {
		if id := Tunnel + ":" + t.ID; b.find(id).Properties.Get("privateRoutes") == true {
			out = append(out, id)
		}
	}
	return out
}

// protect links an application to the hosts that one of its addresses covers, in whole or in part. An
// address that is left public is exposed; a public part of one is not.
func (b *builder) protect(app string, d exposure.AccessEndpoint) {
	kind := Protects
	if d.Open {
		if d.Path != "" {
			return
		}
		kind = Exposes
	}
	if !strings.Contains(d.Host, "*") {
		if d.Host != "" {
			service := b.service(d.Host)
			b.edge(app, kind, service)
			b.behindWildcard(service, canonical(d.Host))
			if d.Path != "" {
				b.node(service, Service, d.Host, Property{"protectedPath", d.Path})
			}
		}
		return
	}
	for _, host := range b.hosts() {
		if len(exposure.Matching([]exposure.AccessEndpoint{d}, host)) > 0 {
			b.edge(app, kind, Service+":"+host)
		}
	}
}

// hosts lists the services in the graph, sorted.
func (b *builder) hosts() []string {
	var out []string
	for _, n := range b.nodes {
		if n.Type == Service {
			out = append(out, strings.TrimPrefix(n.ID, Service+":"))
		}
	}
	slices.Sort(out)
	return out
}
