package snapshot

import (
	"cmp"
	"slices"
)

// ZoneLoadBalancers holds the balancers of a zone.
const ZoneLoadBalancers Key[[]LoadBalancer] = "zone/load_balancers"

// LoadBalancer distributes the traffic of a hostname. Pools are the ids of all pools it sends traffic
// to: by default, by location, by set, by rule or as fallback.
type LoadBalancer struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Enabled bool     `json:"enabled"`
	Proxied bool     `json:"proxied"`
	Pools   []string `json:"pools"`
	// Affinities are its kinds of session affinity, including those of its rules.
	Affinities []Affinity `json:"affinities,omitempty"`
}

// Affinity keeps a visitor at one server, by a cookie or by headers. Secure says when the cookie is
// for HTTPS only, ByRule that a rule says so.
type Affinity struct {
	Kind   string `json:"kind"`
	Secure string `json:"secure,omitempty"`
	ByRule bool   `json:"by_rule,omitempty"`
}

// SortKey orders balancers by id.
func (l LoadBalancer) SortKey() string { return l.ID }

// poolsWire lists how a balancer, or one of its rules, names pools.
type poolsWire struct {
	Default  []string            `json:"default_pools"`
	Fallback string              `json:"fallback_pool"`
	Region   map[string][]string `json:"region_pools"`
	Country  map[string][]string `json:"country_pools"`
	Pop      map[string][]string `json:"pop_pools"`
	Steering string              `json:"steering_policy"`
}

// used lists the pools that get traffic. Those by location count for the policy geo, which is also
// that of a balancer without a policy (developers.cloudflare.com/api/resources/load_balancers/).
func (w poolsWire) used() []string {
	out := slices.Clone(w.Default)
	if w.Fallback != "" {
		out = append(out, w.Fallback)
	}
	if w.Steering != "" && w.Steering != "geo" {
		return out
	}
	for _, places := range []map[string][]string{w.Region, w.Country, w.Pop} {
		for _, ids := range places {
			out = append(out, ids...)
		}
	}
	return out
}

// or returns the pools of a rule that takes from its balancer what it does not set.
func (w poolsWire) or(of poolsWire) poolsWire {
	if w.Default == nil {
		w.Default = of.Default
	}
	if w.Region == nil {
		w.Region = of.Region
	}
	if w.Country == nil {
		w.Country = of.Country
	}
	if w.Pop == nil {
		w.Pop = of.Pop
	}
	w.Fallback, w.Steering = cmp.Or(w.Fallback, of.Fallback), cmp.Or(w.Steering, of.Steering)
	return w
}

// affinityWire is the session affinity of a balancer, or of one of its rules.
type affinityWire struct {
	Kind       string `json:"session_affinity"`
	Attributes struct {
		Secure string `json:"secure"`
	} `json:"session_affinity_attributes"`
}

type balancerWire struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Enabled *bool  `json:"enabled"`
	Proxied bool   `json:"proxied"`
	poolsWire
	affinityWire
	// Sets are pools for a part of the network.
	Sets []struct {
		Disabled  bool `json:"disabled"`
		Overrides struct {
			Pools    []string `json:"pools"`
			Fallback string   `json:"fallback_pool"`
		} `json:"overrides"`
	} `json:"pool_sets"`
	Rules []struct {
		Disabled  bool `json:"disabled"`
		Overrides struct {
			Pools []string `json:"pools"`
			poolsWire
			affinityWire
		} `json:"overrides"`
	} `json:"rules"`
}

// zoneLoadBalancers lists the balancers of a zone
// (developers.cloudflare.com/api/resources/load_balancers/methods/list/).
func zoneLoadBalancers() Source {
	return list(ZoneLoadBalancers, Source{
		Path: "/zones/{zone_id}/load_balancers", Permission: "Zone: Load Balancers Read", Feeds: true,
		After: []string{LBPools.Source()}, Skip: noPools(),
		Example: `[{"id":"l1","name":"www.acme.example","enabled":true,"proxied":true,"default_pools":["p1"],"fallback_pool":"p2",` +
			`"region_pools":{"WEU":["p3"]},"steering_policy":"geo","session_affinity":"cookie","description":"drop"}]`,
	}, func(w balancerWire) LoadBalancer {
		pools := w.used()
		var affinities []Affinity
		note := func(a Affinity) {
			if a.Kind != "" && a.Kind != "none" && !slices.Contains(affinities, a) {
				affinities = append(affinities, a)
			}
		}
		note(Affinity{Kind: w.Kind, Secure: w.Attributes.Secure})
		for _, set := range w.Sets {
			if !set.Disabled {
				pools = append(pools, poolsWire{Default: set.Overrides.Pools, Fallback: set.Overrides.Fallback}.used()...)
			}
		}
		for _, r := range w.Rules {
			if r.Disabled {
				continue
			}
			pools = slices.Concat(pools, r.Overrides.Pools, r.Overrides.or(w.poolsWire).used())
			secure := r.Overrides.Attributes.Secure
			note(Affinity{Kind: cmp.Or(r.Overrides.Kind, w.Kind), Secure: cmp.Or(secure, w.Attributes.Secure), ByRule: secure != ""})
		}
		slices.Sort(pools)
		return LoadBalancer{ID: w.ID, Name: ASCII(w.Name), Enabled: onUnlessSaid(w.Enabled), Proxied: w.Proxied, Affinities: affinities,
			Pools: append([]string{}, slices.Compact(pools)...)}
	})
}
