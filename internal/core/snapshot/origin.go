package snapshot

// Sources of what stands between edge and origin.
const (
	LBPools           Key[[]Pool]         = "account/lb_pools"
	LBMonitors        Key[[]Monitor]      = "account/lb_monitors"
	ZoneLoadBalancers Key[[]LoadBalancer] = "zone/load_balancers"
	ZoneHealthChecks  Key[[]HealthCheck]  = "zone/healthchecks"
	ZoneSpectrumApps  Key[[]SpectrumApp]  = "zone/spectrum_apps"
)

// Pool is a group of origins. Monitor and MonitorGroup are ids, empty without.
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

// Origin is one server of a pool: an address or a host name.
type Origin struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Enabled bool   `json:"enabled"`
}

// Monitor probes the origins of pools.
type Monitor struct {
	ID            string `json:"id"`
	Type          string `json:"type"`
	AllowInsecure bool   `json:"allow_insecure"`
}

// SortKey orders monitors by id.
func (m Monitor) SortKey() string { return m.ID }

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

// HealthCheck is a probe that stands alone; Type is written in capitals.
type HealthCheck struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Type          string `json:"type"`
	Suspended     bool   `json:"suspended"`
	AllowInsecure bool   `json:"allow_insecure"`
}

// SortKey orders health checks by id.
func (h HealthCheck) SortKey() string { return h.ID }

// SpectrumApp passes a port through the edge. Protocol is such as "tcp/22".
type SpectrumApp struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Protocol   string   `json:"protocol"`
	TLS        string   `json:"tls"`
	IPFirewall *bool    `json:"ip_firewall,omitempty"`
	Origins    []string `json:"origins"` // address:port or host name
}

// SortKey orders applications by id.
func (a SpectrumApp) SortKey() string { return a.ID }
