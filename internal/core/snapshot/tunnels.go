package snapshot

import (
	"slices"
	"strings"
)

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

// reduceConnectors joins the connections of each client. One whose version is
// missing makes the list worthless: the connections are then read on their own.
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

// tunnelIDs are the items of sources that are read once per tunnel.
func tunnelIDs(k *Known, account string) []string {
	all, _ := Cached(k, Tunnels, account)
	var ids []string
	for _, t := range all {
		ids = append(ids, t.ID)
	}
	return ids
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
