package planner

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Ref is a pseudonym of a resource, such as record-4 in zone-1. Only Redact makes
// one that is not empty, so no name can stand in its place.
type Ref struct {
	kind string
	n    int
	zone int // number of its zone, 0 for none
}

// String gives the pseudonym, or "" for an empty one. It is what stands in the question.
func (r Ref) String() string {
	if r.n == 0 {
		return ""
	}
	return fmt.Sprintf("%s-%d", r.kind, r.n)
}

// Zone gives the pseudonym of the zone the resource lies in, or "".
func (r Ref) Zone() string {
	if r.zone == 0 {
		return ""
	}
	return Ref{kind: "zone", n: r.zone}.String()
}

// Redact gives each resource a pseudonym: its kind and a number in order of
// first appearance. Within one call the same resource has the same one, and a
// zone the same whether it is meant itself or something in it. Nothing else of a
// resource is kept, so a pseudonym cannot be turned back without the argument.
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
		// Ids of one kind may come again in another zone.
		out[i].kind, out[i].n = kind, number(key{kind, r.ZoneID, r.ID})
	}
	return out
}

// kindOf is the word of a resource type in a pseudonym. Types the vocabulary does
// not have could be anything, so they all are "resource".
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
