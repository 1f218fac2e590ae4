package snapshot

import (
	"slices"
	"strings"
)

// Tunnels holds the tunnels that are not deleted.
const Tunnels Key[[]Tunnel] = "account/tunnels"

// Tunnel connects private services. ConfigSrc local means that its ingress rules are on the host
// and cannot be read here.
type Tunnel struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Status    string `json:"status"`
	ConfigSrc string `json:"config_src"`
	CreatedAt Time   `json:"created_at,omitzero"`
	// InactiveSince is when the last connection ended, zero while there is one.
	InactiveSince Time `json:"conns_inactive_at,omitzero"`
	// Connectors are the running connectors, if the list contains their versions.
	Connectors []Connector `json:"connectors,omitempty"`
}

// SortKey orders tunnels by id.
func (t Tunnel) SortKey() string { return t.ID }

// Connector is one running cloudflared instance of a tunnel.
type Connector struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// SortKey orders connectors by id.
func (c Connector) SortKey() string { return c.ID }

type tunnelWire struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Status    string `json:"status"`
	ConfigSrc string `json:"config_src"`
	Remote    bool   `json:"remote_config"`
	CreatedAt Time   `json:"created_at"`
	Inactive  Time   `json:"conns_inactive_at"`
	Conns     []struct {
		ClientID      string `json:"client_id"`
		ClientVersion string `json:"client_version"`
	} `json:"connections"`
}

func reduceTunnel(w tunnelWire) Tunnel {
	src := w.ConfigSrc
	if src == "" {
		src = "local"
		if w.Remote {
			src = "cloudflare"
		}
	}
	return Tunnel{ID: w.ID, Name: w.Name, Status: w.Status, ConfigSrc: src, CreatedAt: w.CreatedAt, InactiveSince: w.Inactive,
		Connectors: reduceConnectors(w)}
}

// reduceConnectors merges the connections of each connector. If one has no version, the list is
// unusable and the connections are read separately.
func reduceConnectors(w tunnelWire) []Connector {
	var out []Connector
	for _, c := range w.Conns {
		if c.ClientID == "" || c.ClientVersion == "" {
			return nil
		}
		out = append(out, Connector{ID: c.ClientID, Version: c.ClientVersion})
	}
	slices.SortFunc(out, func(a, b Connector) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(out, func(a, b Connector) bool { return a.ID == b.ID })
}

// tunnels lists the tunnels that are not deleted
// (developers.cloudflare.com/api/resources/zero_trust/subresources/tunnels/subresources/cloudflared/methods/list/).
func tunnels() Source {
	return list(Tunnels, Source{
		Path: "/accounts/{account_id}/cfd_tunnel?is_deleted=false", Paging: Paging{Kind: ByPage, Size: 1000}, Volatile: true,
		Permission: permissionTunnel, Feeds: true,
		Example: `[{"id":"t1","name":"office","status":"healthy","config_src":"cloudflare","metadata":{"drop":1},` +
			`"connections":[{"client_id":"c1","client_version":"2026.10.0","origin_ip":"drop"}]}]`,
	}, reduceTunnel)
}

const permissionTunnel = "Account: Cloudflare Tunnel Read"
