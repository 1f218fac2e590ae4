package snapshot

const (
	// LBPools holds the pools with their origins.
	LBPools Key[[]Pool] = "account/lb_pools"
	// LBMonitors holds the health monitors of pools.
	LBMonitors Key[[]Monitor] = "account/lb_monitors"
)

// Pool is a group of origins. Monitor and MonitorGroup are ids, empty for none.
type Pool struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Enabled      bool     `json:"enabled"`
	Monitor      string   `json:"monitor,omitempty"`
	MonitorGroup string   `json:"monitor_group,omitempty"`
	Origins      []Origin `json:"origins"`
}

// SortKey orders pools by id.
func (p Pool) SortKey() string { return p.ID }

// Monitor probes the origins of pools.
type Monitor struct {
	ID            string `json:"id"`
	Type          string `json:"type"`
	AllowInsecure bool   `json:"allow_insecure"`
}

// SortKey orders monitors by id.
func (m Monitor) SortKey() string { return m.ID }

const permissionPools = "Account: Load Balancing: Monitors and Pools Read"

type poolWire struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Enabled      *bool  `json:"enabled"`
	Monitor      string `json:"monitor"`
	MonitorGroup string `json:"monitor_group"`
	Origins      []struct {
		Name    string `json:"name"`
		Address string `json:"address"`
		Network string `json:"virtual_network_id"`
		Enabled *bool  `json:"enabled"`
	} `json:"origins"`
}

// onUnlessSaid is the default of pools, origins and balancers: they are enabled unless the provider
// says otherwise.
func onUnlessSaid(b *bool) bool { return b == nil || *b }

// given returns what a member says, and the zero value when it was not sent.
func given[T any](member *T) (value T) {
	if member != nil {
		value = *member
	}
	return value
}

// accountLBPools lists the pools with their origins, without the probes' headers
// (developers.cloudflare.com/api/resources/load_balancers/subresources/pools/methods/list/).
func accountLBPools() Source {
	return list(LBPools, Source{
		Path: "/accounts/{account_id}/load_balancers/pools", Volatile: true, Permission: permissionPools, Feeds: true,
		Example: `[{"id":"p1","name":"main","enabled":true,"monitor":"m1","minimum_origins":1,"notification_email":"drop@acme.example",` +
			`"origins":[{"name":"a","address":"45.60.10.1","enabled":true,"weight":1,"header":{"Host":["drop.acme.example"]}}]}]`,
	}, func(w poolWire) Pool {
		p := Pool{ID: w.ID, Name: w.Name, Enabled: onUnlessSaid(w.Enabled), Monitor: w.Monitor, MonitorGroup: w.MonitorGroup, Origins: []Origin{}}
		for _, o := range w.Origins {
			p.Origins = append(p.Origins, Origin{Name: o.Name, Address: o.Address, Network: o.Network, Enabled: onUnlessSaid(o.Enabled)})
		}
		return p
	})
}

// noPools skips sources that matter only if there are pools.
func noPools() skipRule {
	return without(LBPools, "load balancing is not in use", "the account has no pool")
}

// accountLBMonitors lists the health monitors, without headers and expected answers
// (developers.cloudflare.com/api/resources/load_balancers/subresources/monitors/methods/list/).
func accountLBMonitors() Source {
	return list(LBMonitors, Source{
		Path: "/accounts/{account_id}/load_balancers/monitors", Permission: permissionPools,
		After: []string{LBPools.Source()}, Skip: noPools(),
		Example: `[{"id":"m1","type":"https","allow_insecure":false,"method":"GET","path":"/health","expected_codes":"200",` +
			`"expected_body":"drop","header":{"Authorization":["drop"]}}]`,
	}, asRead[Monitor])
}
