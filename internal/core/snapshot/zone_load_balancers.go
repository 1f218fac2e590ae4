package snapshot

import "slices"

// ZoneLoadBalancers holds the balancers of a zone.
const ZoneLoadBalancers Key[[]LoadBalancer] = "zone/load_balancers"

// LoadBalancer shares a host name out. Pools are the ids of all pools it names,
// by default, by place, by rule or as the last resort.
type LoadBalancer struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Enabled bool     `json:"enabled"`
	Proxied bool     `json:"proxied"`
	Pools   []string `json:"pools"`
}

// SortKey orders balancers by id.
func (l LoadBalancer) SortKey() string { return l.ID }

// poolsWire are the ways in which a balancer, or a rule of one, names pools.
type poolsWire struct {
	Default  []string            `json:"default_pools"`
	Fallback string              `json:"fallback_pool"`
	Region   map[string][]string `json:"region_pools"`
	Country  map[string][]string `json:"country_pools"`
	Pop      map[string][]string `json:"pop_pools"`
}

func (w poolsWire) named() []string {
	out := slices.Clone(w.Default)
	if w.Fallback != "" {
		out = append(out, w.Fallback)
	}
	for _, places := range []map[string][]string{w.Region, w.Country, w.Pop} {
		for _, ids := range places {
			out = append(out, ids...)
		}
	}
	return out
}

type balancerWire struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Enabled *bool  `json:"enabled"`
	Proxied bool   `json:"proxied"`
	poolsWire
	Rules []struct {
		Overrides poolsWire `json:"overrides"`
	} `json:"rules"`
}

// zoneLoadBalancers lists the balancers of a zone
// (developers.cloudflare.com/api/resources/load_balancers/methods/list/).
func zoneLoadBalancers() Source {
	return list(ZoneLoadBalancers, Source{
		Path: "/zones/{zone_id}/load_balancers", Permission: "Zone: Load Balancers Read", Feeds: true,
		After: []string{LBPools.Source()}, Skip: noPools,
		Example: `[{"id":"l1","name":"www.acme.example","enabled":true,"proxied":true,"default_pools":["p1"],"fallback_pool":"p2",` +
			`"region_pools":{"WEU":["p3"]},"steering_policy":"geo","session_affinity":"cookie","description":"drop"}]`,
	}, func(w balancerWire) LoadBalancer {
		pools := w.named()
		for _, r := range w.Rules {
			pools = append(pools, r.Overrides.named()...)
		}
		slices.Sort(pools)
		return LoadBalancer{ID: w.ID, Name: w.Name, Enabled: onUnlessSaid(w.Enabled), Proxied: w.Proxied,
			Pools: append([]string{}, slices.Compact(pools)...)}
	})
}
