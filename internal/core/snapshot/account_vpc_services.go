package snapshot

// VPCServices holds the private services that Workers reach through a tunnel.
const VPCServices Key[[]VPCService] = "account/vpc_services"

// VPCService is a private service that Workers reach through a tunnel. Verify is how its
// certificate is verified: verify_full, verify_ca or disabled; empty means verify_full. HTTPS is
// the port with encryption, 0 for none; Protocol is the protocol of a tcp service.
type VPCService struct {
	ID       string `json:"service_id"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	HTTPS    int    `json:"https_port,omitempty"`
	HTTP     int    `json:"http_port,omitempty"`
	Protocol string `json:"app_protocol,omitempty"`
	Verify   string `json:"cert_verification_mode,omitempty"`
}

// SortKey orders services by id.
func (s VPCService) SortKey() string { return s.ID }

type vpcServiceWire struct {
	ID       string `json:"service_id"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	HTTPS    *int   `json:"https_port"`
	HTTP     *int   `json:"http_port"`
	Protocol string `json:"app_protocol"`
	TLS      *struct {
		Mode string `json:"cert_verification_mode"`
	} `json:"tls_settings"`
}

// accountVPCServices lists the private services that Workers reach through a tunnel; without a
// tunnel there are none
// (developers.cloudflare.com/api/resources/connectivity/subresources/directory/subresources/services/methods/list/).
func accountVPCServices() Source {
	return list(VPCServices, Source{
		Path: "/accounts/{account_id}/connectivity/directory/services", Paging: Paging{Kind: ByPage, Size: 100},
		Permission: "Account: Connectivity Directory Read",
		After:      []string{Tunnels.Source()},
		Skip:       without(Tunnels, "Cloudflare Tunnel is not in use", "the account has no tunnel"),
		Example: `[{"service_id":"v1","name":"db","type":"tcp","tcp_port":5432,"app_protocol":"postgresql",` +
			`"host":{"ipv4":"192.0.2.1","network":{"tunnel_id":"drop"}},"tls_settings":{"cert_verification_mode":"verify_full"}}]`,
	}, func(w vpcServiceWire) VPCService {
		s := VPCService{ID: w.ID, Name: w.Name, Type: w.Type, Protocol: w.Protocol}
		if w.HTTPS != nil {
			s.HTTPS = *w.HTTPS
		}
		if w.HTTP != nil {
			s.HTTP = *w.HTTP
		}
		if w.TLS != nil {
			s.Verify = w.TLS.Mode
		}
		return s
	})
}
