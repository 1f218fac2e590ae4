// Package graph turns a snapshot into a typed resource graph and attaches findings to it. It is
// pure: the same snapshot and findings give the same bytes, regardless of their order.
package graph

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// The node types.
const (
	Internet    = "internet"
	Account     = "account"
	Zone        = "zone"
	DNSRecord   = "dns_record"
	Origin      = "origin"
	Worker      = "worker"
	Tunnel      = "tunnel"
	AccessApp   = "access_app"
	Bucket      = "r2_bucket"
	KVNamespace = "kv_namespace"
	D1Database  = "d1_database"
	Queue       = "queue"
	Service     = "service"
	Finding     = "finding"
)

// NodeTypes lists every node type.
func NodeTypes() []string {
	return []string{Internet, Account, Zone, DNSRecord, Origin, Worker, Tunnel, AccessApp, Bucket, KVNamespace, D1Database, Queue, Service,
		Finding}
}

// The edge types. belongs_to points from child to parent, all others point in the
// direction of a request.
const (
	BelongsTo  = "belongs_to"
	ResolvesTo = "resolves_to"
	Proxies    = "proxies"
	Exposes    = "exposes"
	Protects   = "protects"
	Executes   = "executes"
	Reads      = "reads"
	InternetTo = "internet_to"
)

// EdgeTypes lists every edge type.
func EdgeTypes() []string {
	return []string{BelongsTo, ResolvesTo, Proxies, Exposes, Protects, Executes, Reads, InternetTo}
}

// Clean is the severity of a node without open findings.
const Clean = "none"

// Node is one resource. X and Y place it on the map, in units of one node.
type Node struct {
	ID         string     `json:"id"`
	Type       string     `json:"type"`
	Label      string     `json:"label"`
	Severity   string     `json:"severity" enum:"critical,high,medium,low,informational,none" doc:"The worst open finding."`
	FindingIDs []string   `json:"findingIds" doc:"Open findings and those that were not assessed."`
	Unknown    int        `json:"unknown,omitempty" doc:"How many of findingIds were not assessed."`
	Properties Properties `json:"properties"`
}

// Property is one attribute of a node: a string, a number or a boolean.
type Property struct {
	Name  string
	Value any
}

// Properties are the attributes of a node, sorted by name; in JSON they are one object.
type Properties []Property

// Get returns the value of a property, or nil.
func (p Properties) Get(name string) any {
	i := slices.IndexFunc(p, func(v Property) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return p[i].Value
}

// MarshalJSON writes the properties as one object.
func (p Properties) MarshalJSON() ([]byte, error) {
	out := make(map[string]any, len(p))
	for _, v := range p {
		out[v.Name] = v.Value
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the properties from an object.
func (p *Properties) UnmarshalJSON(b []byte) error {
	var in map[string]any
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*p = make(Properties, 0, len(in))
	for name, value := range in {
		*p = append(*p, Property{name, value})
	}
	slices.SortFunc(*p, func(a, b Property) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// Edge is one relation. ID is set only on the copy for output (WithID).
type Edge struct {
	ID   string `json:"id"`
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type"`
}

// Stats counts the graph. BySeverity counts the open findings (FAIL and
// WARNING) attached to it.
type Stats struct {
	Nodes      int                      `json:"nodes"`
	Edges      int                      `json:"edges"`
	ByNodeType map[string]int           `json:"byNodeType"`
	ByEdgeType map[string]int           `json:"byEdgeType"`
	BySeverity map[posture.Severity]int `json:"bySeverity"`
}

// Graph holds nodes and edges, each sorted by id.
type Graph struct {
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
	Stats Stats  `json:"stats"`
}
