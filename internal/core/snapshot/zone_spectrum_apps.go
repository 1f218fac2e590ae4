package snapshot

import (
	"slices"
	"strings"
)

// ZoneSpectrumApps holds the Spectrum applications.
const ZoneSpectrumApps Key[[]SpectrumApp] = "zone/spectrum_apps"

// SpectrumApp proxies a port through the edge. Protocol is such as "tcp/22".
type SpectrumApp struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Protocol   string   `json:"protocol"`
	TLS        string   `json:"tls"`
	IPFirewall *bool    `json:"ip_firewall,omitempty"`
	Traffic    string   `json:"traffic_type,omitempty"` // direct, or the product that handles it before the origin
	Origins    []string `json:"origins"`                // address:port or hostname
}

// SortKey orders applications by id.
func (a SpectrumApp) SortKey() string { return a.ID }

type spectrumWire struct {
	ID       string `json:"id"`
	Protocol string `json:"protocol"`
	DNS      struct {
		Name string `json:"name"`
	} `json:"dns"`
	TLS          string   `json:"tls"`
	IPFirewall   *bool    `json:"ip_firewall"`
	Traffic      string   `json:"traffic_type"`
	OriginDirect []string `json:"origin_direct"`
	OriginDNS    struct {
		Name string `json:"name"`
	} `json:"origin_dns"`
}

// zoneSpectrumApps lists the Spectrum applications
// (developers.cloudflare.com/api/resources/spectrum/subresources/apps/methods/list/).
func zoneSpectrumApps() Source {
	return list(ZoneSpectrumApps, Source{
		Path: "/zones/{zone_id}/spectrum/apps", Paging: Paging{Kind: ByPage, Size: 100}, Permission: "Zone: Zone Settings Read", Feeds: true,
		Plans: []string{"pro", "business", "enterprise"},
		Example: `[{"id":"a1","protocol":"tcp/22","dns":{"type":"CNAME","name":"ssh.acme.example"},"tls":"off","ip_firewall":true,` +
			`"origin_direct":["tcp://45.60.10.1:22"],"traffic_type":"direct","proxy_protocol":"off","edge_ips":{"type":"drop"}}]`,
	}, func(w spectrumWire) SpectrumApp {
		a := SpectrumApp{ID: w.ID, Name: ASCII(w.DNS.Name), Protocol: w.Protocol, TLS: w.TLS, IPFirewall: w.IPFirewall, Traffic: w.Traffic,
			Origins: []string{}}
		for _, o := range w.OriginDirect {
			_, host, _ := strings.Cut(o, "://")
			a.Origins = append(a.Origins, host)
		}
		if w.OriginDNS.Name != "" {
			a.Origins = append(a.Origins, w.OriginDNS.Name)
		}
		slices.Sort(a.Origins)
		return a
	})
}
