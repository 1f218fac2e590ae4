package snapshot

// GatewayProxies holds the proxy endpoints of Gateway.
const GatewayProxies Key[[]GatewayProxy] = "account/gateway_proxy_endpoints"

// GatewayProxy is an address that browsers use as their proxy. Kind is ip, which admits the
// networks of IPs, or identity, which requires a login; empty means ip.
type GatewayProxy struct {
	ID   string   `json:"id"`
	Name string   `json:"name"`
	Kind string   `json:"kind,omitempty"`
	IPs  []string `json:"ips"`
}

// SortKey orders endpoints by id.
func (p GatewayProxy) SortKey() string { return p.ID }

// accountGatewayProxies lists the proxy endpoints of Gateway
// (developers.cloudflare.com/api/resources/zero_trust/subresources/gateway/subresources/proxy_endpoints/methods/list/).
func accountGatewayProxies() Source {
	return list(GatewayProxies, Source{
		Path: "/accounts/{account_id}/gateway/proxy_endpoints", Permission: permissionZeroTrust,
		After: []string{GatewayRules.Source()}, Skip: gatewayUnused(),
		Example: `[{"id":"x1","name":"Office","kind":"ip","ips":["203.0.113.0/28"],"subdomain":"drop"}]`,
	}, asRead[GatewayProxy])
}
