package snapshot

// GatewayLocations holds the DNS locations of Gateway.
const GatewayLocations Key[[]GatewayLocation] = "account/gateway_locations"

// GatewayLocation is a location whose DNS queries Gateway answers. An endpoint is nil when
// Cloudflare does not return it. IPv4 queries are identified by their source network, so that
// endpoint never answers everyone.
type GatewayLocation struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Default bool         `json:"client_default,omitempty"`
	DoH     *DNSEndpoint `json:"doh,omitempty"`
	DoT     *DNSEndpoint `json:"dot,omitempty"`
	IPv6    *DNSEndpoint `json:"ipv6,omitempty"`
}

// DNSEndpoint is one kind of DNS endpoint. Without networks it answers everyone, unless it requires
// a user token.
type DNSEndpoint struct {
	Enabled  bool     `json:"enabled"`
	Token    bool     `json:"require_token,omitempty"`
	Networks []string `json:"networks,omitempty"`
}

// SortKey orders locations by id.
func (l GatewayLocation) SortKey() string { return l.ID }

type gatewayLocationWire struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Default   bool   `json:"client_default"`
	Endpoints struct {
		DoH *struct {
			dnsEndpointWire
			Token bool `json:"require_token"`
		} `json:"doh"`
		DoT  *dnsEndpointWire `json:"dot"`
		IPv6 *dnsEndpointWire `json:"ipv6"`
	} `json:"endpoints"`
}

type dnsEndpointWire struct {
	Enabled  bool `json:"enabled"`
	Networks []struct {
		Network string `json:"network"`
	} `json:"networks"`
}

func (w *dnsEndpointWire) reduced() *DNSEndpoint {
	if w == nil {
		return nil
	}
	e := &DNSEndpoint{Enabled: w.Enabled}
	for _, n := range w.Networks {
		e.Networks = append(e.Networks, n.Network)
	}
	return e
}

// accountGatewayLocations lists the DNS locations of Gateway
// (developers.cloudflare.com/api/resources/zero_trust/subresources/gateway/subresources/locations/methods/list/).
func accountGatewayLocations() Source {
	return list(GatewayLocations, Source{
		Path: "/accounts/{account_id}/gateway/locations", Permission: permissionZeroTrust,
		After: []string{GatewayRules.Source()}, Skip: gatewayUnused(),
		Example: `[{"id":"l1","name":"Office","client_default":true,"doh_subdomain":"drop","ip":"2001:db8::1",` +
			`"endpoints":{"doh":{"enabled":true,` +
			`"require_token":true,"networks":null},"dot":{"enabled":false},"ipv4":{"enabled":true},"ipv6":{"enabled":true,` +
			`"networks":[{"network":"2001:db8::/48"}]}},"networks":[{"network":"203.0.113.0/28"}]}]`,
	}, func(w gatewayLocationWire) GatewayLocation {
		l := GatewayLocation{ID: w.ID, Name: w.Name, Default: w.Default, DoT: w.Endpoints.DoT.reduced(), IPv6: w.Endpoints.IPv6.reduced()}
		if doh := w.Endpoints.DoH; doh != nil {
			l.DoH = doh.reduced()
			l.DoH.Token = doh.Token
		}
		return l
	})
}
