package planner

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Ref is the pseudonym of a resource, such as record-4 in zone-1. Only Redact creates one that is
// not empty, so it can never be a name.
type Ref struct {
	kind string
	n    int
	zone int // number of its zone, 0 for none
}

// String returns the pseudonym, as it appears in the question, or "" for an empty one.
func (r Ref) String() string {
	if r.n == 0 {
		return ""
	}
	return fmt.Sprintf("%s-%d", r.kind, r.n)
}

// Zone returns the pseudonym of the resource's zone, or "".
func (r Ref) Zone() string {
	if r.zone == 0 {
		return ""
	}
	return Ref{kind: "zone", n: r.zone}.String()
}

// Redact returns a pseudonym for each resource: its kind and a number, in order of first
// appearance. Within one call, the same resource has the same pseudonym, and so has a zone whether
// it is the resource itself or contains it. Nothing else of a resource is kept, so a pseudonym
// cannot be reversed without the argument.
func Redact(resources []posture.Resource) []Ref {
	type key struct {
		kind, zone, id string
	}
	numbers, counts := map[key]int{}, map[string]int{}
	number := func(k key) int {
		if numbers[k] == 0 {
			counts[k.kind]++
			numbers[k] = counts[k.kind]
		}
		return numbers[k]
	}
	out := make([]Ref, len(resources))
	for i, r := range resources {
		kind := kindOf(r.Type)
		if r.Type == posture.ResourceZone {
			out[i] = Ref{kind: kind, n: number(key{kind, "", r.ID})}
			continue
		}
		if r.ZoneID != "" {
			out[i].zone = number(key{"zone", "", r.ZoneID})
		}
		// Ids of a kind may repeat in another zone.
		out[i].kind, out[i].n = kind, number(key{kind, r.ZoneID, r.ID})
	}
	return out
}

// kindOf returns the word for a resource type in a pseudonym. Unknown types could be anything, so
// they all are "resource".
func kindOf(t posture.ResourceType) string {
	switch t {
	case posture.ResourceDNSRecord:
		return "record"
	case posture.ResourceAccessApp:
		return "app"
	case posture.ResourceAccessPolicy:
		return "policy"
	case posture.ResourceBucket:
		return "bucket"
	case posture.ResourceLoadBalancer:
		return "balancer"
	case posture.ResourcePagesProject:
		return "pages"
	case posture.ResourceAccount, posture.ResourceZone, posture.ResourceToken, posture.ResourceMember, posture.ResourceRule,
		posture.ResourceTunnel, posture.ResourceWorker, posture.ResourceCertificate:
		return string(t)
	}
	return "resource"
}
