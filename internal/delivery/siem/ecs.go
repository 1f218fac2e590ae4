package siem

import (
	"net/netip"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// ecsVersion is the version of the Elastic Common Schema the documents follow.
const ecsVersion = "8.11.0"

const product = "Edgeposture"

// demoNotice goes into every document of the built-in demo.
const (
	demoNotice = "Simulated account: this assessment shows the built-in demo. No real account was read."
	demoPrefix = "Simulated account. "
)

// body is a document. Field names are those of ECS 8.11.0, except edgeposture, resource, result and the
// members of rule that only the Posture form has.
type body struct {
	Timestamp    string            `json:"@timestamp"`
	ECS          ecsMeta           `json:"ecs"`
	Message      string            `json:"message"`
	Tags         []string          `json:"tags"`
	Labels       map[string]string `json:"labels"`
	Event        ecsEvent          `json:"event"`
	Rule         *ecsRule          `json:"rule,omitempty"`
	Cloud        ecsCloud          `json:"cloud"`
	Organization ecsNamed          `json:"organization"`
	Observer     ecsObserver       `json:"observer"`
	Related      *ecsRelated       `json:"related,omitempty"`
	Threat       *ecsThreat        `json:"threat,omitempty"`
	Own          own               `json:"edgeposture"`

	Resource   *postureResource `json:"resource,omitempty"`
	Result     *postureResult   `json:"result,omitempty"`
	DataStream *dataStream      `json:"data_stream,omitempty"`
}

type ecsMeta struct {
	Version string `json:"version"`
}

type ecsEvent struct {
	Kind      string   `json:"kind"`
	Category  []string `json:"category"`
	Type      []string `json:"type"`
	Outcome   string   `json:"outcome"`
	Severity  int      `json:"severity"`
	RiskScore *float64 `json:"risk_score,omitempty"`
	ID        string   `json:"id"`
	Code      string   `json:"code,omitempty"`
	Action    string   `json:"action"`
	Created   string   `json:"created"`
	Start     string   `json:"start,omitempty"`
	End       string   `json:"end,omitempty"`
	Duration  int64    `json:"duration,omitempty"` // nanoseconds
	Dataset   string   `json:"dataset"`
	Module    string   `json:"module"`
	Provider  string   `json:"provider"`
	Reason    string   `json:"reason,omitempty"`
}

type ecsRule struct {
	ID          string            `json:"id"`
	UUID        string            `json:"uuid"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Category    string            `json:"category"`
	Ruleset     string            `json:"ruleset"`
	Version     string            `json:"version,omitempty"`
	Benchmark   *postureBenchmark `json:"benchmark,omitempty"`
	Section     string            `json:"section,omitempty"`
	Tags        []string          `json:"tags,omitempty"`
	Remediation string            `json:"remediation,omitempty"`
}

type ecsNamed struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

type ecsCloud struct {
	Provider string    `json:"provider"`
	Account  ecsNamed  `json:"account"`
	Service  *ecsNamed `json:"service,omitempty"`
}

type ecsObserver struct {
	Vendor  string `json:"vendor"`
	Product string `json:"product"`
	Type    string `json:"type"`
	Version string `json:"version,omitempty"`
}

type ecsRelated struct {
	Hosts []string `json:"hosts,omitempty"`
	IP    []string `json:"ip,omitempty"`
}

type ecsThreat struct {
	Enrichments []enrichment `json:"enrichments"`
}

// enrichment is an attack path that a document is part of.
type enrichment struct {
	Indicator struct {
		Type        string `json:"type,omitempty"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Provider    string `json:"provider"`
		Confidence  string `json:"confidence"`
	} `json:"indicator"`
	Matched struct {
		Atomic   string `json:"atomic,omitempty"`
		Field    string `json:"field"`
		ID       string `json:"id"`
		Index    string `json:"index"`
		Occurred string `json:"occurred"`
		Type     string `json:"type"`
	} `json:"matched"`
}

// enrich describes an attack path with the fields of the schema. Confidence is high, because paths are
// derived from captured configuration and not guessed.
func (p part) enrich(r *room, v *posture.AttackPath) enrichment {
	var e enrichment
	e.Indicator.Type = indicatorType(p.nodes(v.TargetNodeID))
	e.Indicator.Name, e.Indicator.Description = r.ident(v.ID), r.text(orElse(v.Explanation, v.Title, v.Kind))
	e.Indicator.Provider, e.Indicator.Confidence = "edgeposture", "High"
	e.Matched.Atomic, e.Matched.Field = r.ident(p.node.ID), "edgeposture.node.id"
	e.Matched.ID, e.Matched.Index = p.id, p.index()
	e.Matched.Occurred, e.Matched.Type = stamp(p.doc.Assessment.CompletedAt), kindPath
	return e
}

// indicatorType is the schema's word for what a path leads to, "" where none applies.
func indicatorType(n graph.Node) string {
	switch n.Type {
	case graph.Origin:
		switch ip, ok := originIP(n.ID); {
		case !ok:
			return "domain-name"
		case ip.Is4():
			return "ipv4-addr"
		default:
			return "ipv6-addr"
		}
	case graph.Zone, graph.DNSRecord, graph.Service, graph.AccessApp:
		return "domain-name"
	default:
		return ""
	}
}

// originIP parses the address of an origin's node. An origin may also be a host name; addresses with an
// IPv6 zone are rejected, because an index does not accept them.
func originIP(node string) (netip.Addr, bool) {
	address, ok := strings.CutPrefix(node, graph.Origin+":")
	if !ok || len(address) > longestAddress {
		return netip.Addr{}, false
	}
	ip, err := netip.ParseAddr(address)
	return ip.Unmap(), err == nil && ip.Zone() == ""
}

// longestAddress is longer than any IP address as text.
const longestAddress = 64

// addresses returns the origins among nodes that are IP addresses: an index refuses a document with an
// invalid address.
func addresses(r *room, nodes []string) []string {
	var out []string
	for _, id := range nodes {
		ip, ok := originIP(id)
		if !ok {
			continue
		}
		if len(out) == r.entries {
			r.cut = true
			break
		}
		out = append(out, ip.String())
	}
	return out
}
