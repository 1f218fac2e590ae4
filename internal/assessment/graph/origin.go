package graph

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// balance indexes the servers of the load balancers of a zone: the enabled ones of enabled pools.
func (b *builder) balance(z snapshot.Zone) {
	balancers := known(b, snapshot.ZoneLoadBalancers, z.ID)
	if len(balancers) == 0 {
		return
	}
	pools := map[string]snapshot.Pool{}
	for _, p := range known(b, snapshot.LBPools, b.account) {
		pools[p.ID] = p
	}
	for _, l := range balancers {
		if !l.Enabled {
			continue
		}
		name := canonical(l.Name)
		b.balanced[name] = true
		for _, id := range l.Pools {
			for _, o := range pools[id].Origins {
				if pools[id].Enabled && o.Enabled {
					_, err := netip.ParseAddr(o.Address)
					b.byName[name] = append(b.byName[name], destination{content: o.Address, alias: err != nil, proxied: l.Proxied && !z.Paused})
				}
			}
		}
	}
}

// balancers adds the load balancers of a zone: a hostname in front of the servers of its pools.
func (b *builder) balancers(z snapshot.Zone) {
	for _, l := range known(b, snapshot.ZoneLoadBalancers, z.ID) {
		if !l.Enabled {
			continue
		}
		proxied := l.Proxied && !z.Paused
		service := b.service(l.Name, Property{"loadBalancer", l.ID}, Property{"proxied", proxied})
		if answers(z) {
			b.edge(InternetID, InternetTo, service)
		}
		for _, to := range b.byName[canonical(l.Name)] {
			if tunnel, is := strings.CutSuffix(canonical(to.content), ".cfargotunnel.com"); is && proxied {
				b.edge(service, ResolvesTo, Tunnel+":"+tunnel) // as a proxied record does
				continue
			}
			b.servedFrom(service, to.content, proxied)
		}
	}
}

// spectrum adds the Spectrum applications, which proxy protocols other than HTTP.
func (b *builder) spectrum(z snapshot.Zone) {
	for _, a := range known(b, snapshot.ZoneSpectrumApps, z.ID) {
		service := b.service(a.Name, Property{"protocol", a.Protocol}, Property{"spectrum", a.ID})
		if a.IPFirewall != nil {
			b.node(service, Service, a.Name, Property{"ipFirewall", *a.IPFirewall})
		}
		if answers(z) && !z.Paused {
			b.edge(InternetID, InternetTo, service)
		}
		for _, o := range a.Origins {
			b.edge(service, ResolvesTo, b.origin(o))
		}
	}
}

// hostOf strips scheme and port of an origin such as tcp://192.0.2.1:22.
func hostOf(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	if u, err := url.Parse("//" + address); err == nil && (strings.HasPrefix(address, "[") || strings.Count(address, ":") < 2) {
		return u.Hostname()
	}
	return strings.Trim(address, "[]")
}

// customHostnames adds the custom hostnames of a zone's customers and their origin.
func (b *builder) customHostnames(z snapshot.Zone) {
	fallback := known(b, snapshot.ZoneFallbackOrigin, z.ID).Origin
	for _, h := range known(b, snapshot.ZoneCustomHostnames, z.ID) {
		if h.Gone() {
			continue
		}
		service := b.service(h.Hostname, Property{"customHostname", h.ID})
		b.edge(service, BelongsTo, Zone+":"+z.ID)
		if h.Status == "active" && answers(z) && !z.Paused {
			b.edge(InternetID, InternetTo, service)
		}
		target := h.Origin
		if target == "" {
			target = fallback
		}
		if target == "" {
			continue
		}
		b.servedFrom(service, target, true)
	}
}
