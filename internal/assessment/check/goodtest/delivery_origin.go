package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodOrigins adds load balancing, health checks and Spectrum ports.
func goodOrigins(b *snapshot.Builder) {
	on := true
	snapshot.Put(b, snapshot.LBPools, Account, []snapshot.Pool{{ID: "pool1", Name: "main", Enabled: true, Monitor: "mon1",
		Origins: []snapshot.Origin{
			{Name: "a", Address: "45.60.10.1", Enabled: true}, {Name: "b", Address: "45.60.10.2", Enabled: true}}}})
	snapshot.Put(b, snapshot.LBMonitors, Account, []snapshot.Monitor{{ID: "mon1", Type: "https"}})
	snapshot.Put(b, snapshot.ZoneLoadBalancers, Zone, []snapshot.LoadBalancer{{ID: "lb1", Name: "www." + Domain, Enabled: true, Proxied: true,
		Pools: []string{"pool1"}}})
	snapshot.Put(b, snapshot.ZoneHealthChecks, Zone, []snapshot.HealthCheck{{ID: "h1", Name: "shop", Type: "HTTPS"}})
	snapshot.Put(b, snapshot.ZoneSpectrumApps, Zone, []snapshot.SpectrumApp{
		{ID: "sa1", Name: "ssh." + Domain, Protocol: "tcp/22", TLS: "off", IPFirewall: &on, Origins: []string{"45.60.10.1:22"}},
		{ID: "sa2", Name: "mqtt." + Domain, Protocol: "tcp/8883", TLS: "strict", IPFirewall: &on, Origins: []string{"45.60.10.1:8883"}}})
}
