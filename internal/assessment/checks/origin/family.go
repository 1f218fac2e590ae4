// Package origin holds the checks of load balancing, health checks and Spectrum applications.
package origin

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const docsBalancing = "https://developers.cloudflare.com/load-balancing/"

// sending lists the balancers that send traffic: not one that is disabled, and none of a zone whose
// names nobody asks Cloudflare for.
func sending(v *check.View) (out []snapshot.LoadBalancer) {
	for _, z := range v.EveryZone() {
		for _, l := range check.ReadAt(v, snapshot.ZoneLoadBalancers, z.ID) {
			if l.Enabled && check.PublicDNS(z) == "" {
				out = append(out, l)
			}
		}
	}
	return out
}

// users lists, for each pool, the balancers that send traffic to it.
func users(v *check.View) map[string][]string {
	out := map[string][]string{}
	for _, l := range sending(v) {
		for _, p := range l.Pools {
			out[p] = append(out[p], l.Name)
		}
	}
	for p := range out {
		slices.Sort(out[p])
	}
	return out
}

func poolResource(p snapshot.Pool) posture.Resource {
	return posture.Resource{Type: posture.ResourceLoadBalancer, ID: p.ID, Name: p.Name}
}

// servers returns enabled example origins.
func servers(addresses ...string) []snapshot.Origin {
	var out []snapshot.Origin
	for _, a := range addresses {
		out = append(out, snapshot.Origin{Name: a, Address: a, Enabled: true})
	}
	return out
}

// goodPool is an example edit that leaves one pool with two servers and a monitor.
func goodPool(change func(*snapshot.Pool)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		p := snapshot.Pool{ID: "pool1", Name: "main", Enabled: true, Monitor: "mon1", Origins: servers("45.60.10.1", "45.60.10.2")}
		change(&p)
		snapshot.Put(b, snapshot.LBPools, goodtest.Account, []snapshot.Pool{p})
	}
}

// balancers is an example edit of the balancers of the zone.
func balancers(all ...snapshot.LoadBalancer) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, all) }
}

// list joins names for a sentence: sorted, each once.
func list(names []string) string {
	names = slices.Clone(names)
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
