package graph

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// NodeID is the node that stands for a resource. A resource that is no node of
// its own (a rule, a member, a token, a certificate, a policy) lies in its zone,
// or else in the account.
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
		return Service + ":" + strings.ToLower(r.Name)
	}
	if r.ZoneID != "" {
		return Zone + ":" + r.ZoneID
	}
	return Account + ":" + accountID
}

// own reports whether a node stands for the resource itself.
func own(kind string, r posture.Resource) bool {
	return kind == string(r.Type) || kind == Worker && r.Type == posture.ResourcePagesProject || kind == Service &&
		r.Type == posture.ResourceLoadBalancer
}

// WithID gives a copy of an edge that has its id, for callers that read JSON. Inside, an
// edge is its ends and its type.
func (e Edge) WithID() Edge {
	e.ID = e.id()
	return e
}

func (e Edge) id() string { return e.From + "->" + e.To + "#" + e.Type }
