// Package tunnel holds the checks of tunnels and private routes.
package tunnel

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// self returns the tunnel of the unit from the tunnel list.
func self(v *check.View) snapshot.Tunnel {
	all := check.Read(v, snapshot.Tunnels)
	i := slices.IndexFunc(all, func(t snapshot.Tunnel) bool { return t.ID == v.Item() })
	if i < 0 {
		return snapshot.Tunnel{ID: v.Item()}
	}
	return all[i]
}

// onHost returns the reason why the ingress rules cannot be judged, or "".
func onHost(t snapshot.Tunnel) string {
	if t.ConfigSrc != "cloudflare" {
		return "the tunnel is configured on its host, so its ingress rules cannot be read"
	}
	return ""
}

// editTunnel is an example edit of the tunnel.
func editTunnel(change func(*snapshot.Tunnel)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.Tunnels, goodtest.Account, func(ts *[]snapshot.Tunnel) { change(&(*ts)[0]) })
	}
}

// ingress is an example edit that replaces the ingress rules.
func ingress(rules ...snapshot.Ingress) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.TunnelConfig, goodtest.Tunnel, func(s *snapshot.TunnelSettings) { s.Ingress = rules })
	}
}

// local is an example edit: the tunnel is configured on its host.
func local(b *snapshot.Builder) {
	editTunnel(func(t *snapshot.Tunnel) { t.ConfigSrc = "local" })(b)
	b.Mark(snapshot.TunnelConfig.Source(), snapshot.Skipped, "", "the tunnel is configured on its host")
}

// without is an example edit: the account has no tunnel.
func without(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.Tunnels, goodtest.Account, []snapshot.Tunnel{})
}
