package cloudflare

import (
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

type tunnelWire struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Status    string        `json:"status"`
	ConfigSrc string        `json:"config_src"`
	Remote    bool          `json:"remote_config"`
	CreatedAt snapshot.Time `json:"created_at"`
}

func reduceTunnel(w tunnelWire) snapshot.Tunnel {
	src := w.ConfigSrc
	if src == "" {
		src = "local"
		if w.Remote {
			src = "cloudflare"
		}
	}
	return snapshot.Tunnel{ID: w.ID, Name: w.Name, Status: w.Status, ConfigSrc: src, CreatedAt: w.CreatedAt}
}

// tunnels lists the tunnels that are not deleted
// (developers.cloudflare.com/api/resources/zero_trust/subresources/tunnels/subresources/cloudflared/methods/list/).
func tunnels() Source {
	return list(snapshot.Tunnels, Source{
		Path: "/accounts/{account_id}/cfd_tunnel?is_deleted=false", Paging: Paging{Kind: ByPage, Size: 1000}, Permission: permissionTunnel, Feeds: true,
		Example: `[{"id":"t1","name":"office","status":"healthy","config_src":"cloudflare","metadata":{"drop":1},"connections":[{"origin_ip":"45.60.1.1"}]}]`,
	}, reduceTunnel)
}

const permissionTunnel = "Account: Cloudflare Tunnel Read"
