// Package dns holds the checks of zones and their records.
package dns

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func canonical(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// balanced tells which names have an enabled load balancer, which goes before the records of its name
// (developers.cloudflare.com/load-balancing/load-balancers/dns-records/).
func balanced(balancers []snapshot.LoadBalancer) func(name string) bool {
	names := map[string]bool{}
	for _, l := range balancers {
		if l.Enabled {
			names[exposure.Bare(l.Name)] = true
		}
	}
	return func(name string) bool { return names[exposure.Bare(name)] }
}

func lastWord(s string) string {
	f := strings.Fields(s)
	if len(f) == 0 {
		return ""
	}
	return f[len(f)-1]
}

// assigned reports whether a host is a name server that Cloudflare assigned to the zone.
func assigned(z snapshot.Zone, host string) bool {
	return listed(z.NameServers, host) || listed(z.Vanity, host)
}

func listed(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return exposure.Same(n, name) })
}
