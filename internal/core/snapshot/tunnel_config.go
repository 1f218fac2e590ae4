package snapshot

import "strings"

// TunnelConfig holds the public hostnames of a remotely managed tunnel.
const TunnelConfig Key[TunnelSettings] = "tunnel/config" // scope: tunnel id

// TunnelSettings is the remote configuration of a tunnel.
type TunnelSettings struct {
	Version int       `json:"version"`
	Ingress []Ingress `json:"ingress"`
}

// Ingress maps a public hostname to a private service.
type Ingress struct {
	Hostname       string `json:"hostname"`
	Path           string `json:"path,omitempty"`
	Service        string `json:"service"`
	NoTLSVerify    bool   `json:"no_tls_verify,omitempty"`
	AccessRequired bool   `json:"access_required,omitempty"`
	// Socks says that the client chooses the destination of the connection.
	Socks bool `json:"socks,omitempty"`
}

type tunnelConfigWire struct {
	Version int `json:"version"`
	Config  *struct {
		Ingress []struct {
			Hostname string            `json:"hostname"`
			Path     string            `json:"path"`
			Service  string            `json:"service"`
			Origin   ingressOriginWire `json:"originRequest"`
		} `json:"ingress"`
		Origin ingressOriginWire `json:"originRequest"`
	} `json:"config"`
}

type ingressOriginWire struct {
	NoTLSVerify *bool   `json:"noTLSVerify"`
	ProxyType   *string `json:"proxyType"`
	Bastion     *bool   `json:"bastionMode"`
	Access      *struct {
		Required bool `json:"required"`
	} `json:"access"`
}

func reduceTunnelConfig(w tunnelConfigWire) TunnelSettings {
	out := TunnelSettings{Version: w.Version, Ingress: []Ingress{}}
	if w.Config == nil {
		return out
	}
	for _, i := range w.Config.Ingress {
		verify, access := i.Origin.NoTLSVerify, i.Origin.Access
		if verify == nil {
			verify = w.Config.Origin.NoTLSVerify
		}
		if access == nil {
			access = w.Config.Origin.Access
		}
		bastion, service := i.Origin.Bastion, i.Service
		if bastion == nil {
			bastion = w.Config.Origin.Bastion
		}
		if bastion != nil && *bastion && strings.Contains(service, "://") {
			service = "bastion" // cloudflared ignores the address then (ingress.go, validateIngress)
		}
		kind := i.Origin.ProxyType
		if kind == nil {
			kind = w.Config.Origin.ProxyType
		}
		out.Ingress = append(out.Ingress, Ingress{Socks: kind != nil && strings.EqualFold(*kind, "socks"),
			Hostname: strings.TrimSuffix(ASCII(i.Hostname), "."), Path: i.Path, Service: service,
			NoTLSVerify: verify != nil && *verify, AccessRequired: access != nil && access.Required})
	}
	return out
}

// tunnelConfig reads the public hostnames of a remotely managed tunnel; the rules of a locally
// managed one are on its host
//
// (https://developers.cloudflare.com/api/resources/zero_trust/, tunnels, cloudflared, configurations, get).
func tunnelConfig() Source {
	return object(TunnelConfig, Source{
		Path: "/accounts/{account_id}/cfd_tunnel/{item}/configurations", Permission: permissionTunnel, Feeds: true,
		Parent: Tunnels.Source(),
		Items:  idsOf(Tunnels, nil),
		Skip: func(k *Known, t SourceScope) string {
			all, _ := Cached(k, Tunnels, t.AccountID)
			for _, tunnel := range all {
				if tunnel.ID == t.Item && tunnel.ConfigSrc == "local" {
					return "the tunnel is configured on its host"
				}
			}
			return ""
		},
		Example: `{"tunnel_id":"t1","version":3,"config":{"ingress":[{"hostname":"app.acme.example","service":"http://10.0.0.5:80",` +
			`"originRequest":{"noTLSVerify":true}},{"service":"http_status:404"}]}}`,
	}, reduceTunnelConfig)
}
