package graph

import (
	"net/netip"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// NodeID returns the id of the node of a resource. A resource without a node of its own
// (a rule, a member, a token, a certificate, a policy) maps to its zone, or to the
// account.
func NodeID(accountID string, r posture.Resource) string {
	switch r.Type {
	case posture.ResourceZone:
		return Zone + ":" + r.ID
	case posture.ResourceDNSRecord:
		return "dns:" + r.ZoneID + ":" + r.ID
	case posture.ResourceWorker:
		return Worker + ":" + accountID + ":" + r.ID
	case posture.ResourcePagesProject:
		return Worker + ":" + accountID + ":pages/" + r.ID
	case posture.ResourceTunnel:
		return Tunnel + ":" + r.ID
	case posture.ResourceAccessApp:
		return AccessApp + ":" + r.ID
	case posture.ResourceBucket:
		return "r2:" + accountID + ":" + r.ID
	case posture.ResourceLoadBalancer:
		return ServiceID(r.Name)
	}
	if r.ZoneID != "" {
		return Zone + ":" + r.ZoneID
	}
	return Account + ":" + accountID
}

// ServiceID returns the id of the node of a hostname.
func ServiceID(host string) string { return Service + ":" + canonical(host) }

// OriginID returns the id of the node of a server, given by address or hostname, which may have a port, or of a network.
func OriginID(address string) string {
	if p, err := netip.ParsePrefix(address); err == nil {
		return Origin + ":" + p.String() // an address of IPv6 has several spellings
	}
	address = canonical(hostOf(address))
	if a, err := netip.ParseAddr(address); err == nil {
		address = a.String()
	}
	return Origin + ":" + address
}

// own reports whether a node of this type belongs to the resource itself.
func own(kind string, r posture.Resource) bool {
	return kind == string(r.Type) || kind == Worker && r.Type == posture.ResourcePagesProject || kind == Service &&
		r.Type == posture.ResourceLoadBalancer
}

// WithID returns a copy of an edge with its id set, for JSON. In memory an edge is
// identified by its ends and its type.
func (e Edge) WithID() Edge {
	e.ID = e.id()
	return e
}

func (e Edge) id() string { return e.From + "->" + e.To + "#" + e.Type }
