package evidence

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// content cross-checks the parts of a bundle in the order in which they are read. The assessment comes
// first.
type content struct {
	m        Manifest
	o        Options
	a        summary
	counted  posture.Summary
	findings map[string]bool
	paths    map[string]bool
	named    map[string]string // finding id to the part that names it
	digest   *snapshot.Digester
	last     *snapshot.Section
}

func newContent(m Manifest, o Options) *content {
	return &content{m: m, o: o, findings: map[string]bool{}, paths: map[string]bool{}, named: map[string]string{},
		counted: posture.Summary{BySeverity: map[posture.Severity]int{}}}
}

func (c *content) part(p Part, data []byte) error {
	if !isCanonical(data) {
		return invalid(p.Name, "it is not JSON in its one canonical form")
	}
	check, records := c.small, p.Records
	switch {
	case p.Name == assessmentName:
		check = c.assessment
	case p.Name == pathsName:
		check = c.attackPaths
	case strings.HasPrefix(p.Name, findingsName):
		check = c.someFindings
	case p.Name == graphName:
		check = c.graph
	case p.Name == policyName:
		check = c.policy
	case strings.HasPrefix(p.Name, sectionsName):
		check = c.someSections
	case p.Name != modificationsName:
		records = -1 // an object, or a list whose length is not checked
	}
	n, err := check(p.Name, data)
	if err == nil && records >= 0 && n != records {
		return invalid(p.Name, "it has %d records and the manifest says %d", n, records)
	}
	return err
}

// read decodes a part.
func read(name string, data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return invalid(name, "it cannot be read (%s)", err)
	}
	return nil
}

// each decodes the elements of a part that is a list, one by one: whoever signs a bundle may fill it with elements of two bytes that
// take a thousand in memory, and the first is refused before the next is read.
func each[T any](name string, data []byte, check func(T) error) (n int, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('[') {
		return 0, invalid(name, "it is not a list")
	}
	for ; d.More(); n++ {
		var one T
		if err := d.Decode(&one); err != nil {
			return n, invalid(name, "it cannot be read (%s)", err)
		}
		if err := check(one); err != nil {
			return n, err
		}
	}
	return n, nil
}

// small checks a part that is only counted.
func (c *content) small(name string, data []byte) (int, error) {
	if name != modificationsName {
		return 0, nil
	}
	var list []json.RawMessage
	err := read(name, data, &list)
	return len(list), err
}

func (c *content) policy(_ string, data []byte) (int, error) {
	if c.o.Policy != nil {
		c.o.Policy(data)
	}
	return 1, nil
}

func (c *content) assessment(name string, data []byte) (int, error) {
	if err := read(name, data, &c.a); err != nil {
		return 0, err
	}
	a := c.a
	if c.m.Assessment != (Subject{ID: a.ID, Account: a.Account, Status: a.Status, StartedAt: a.StartedAt, CompletedAt: a.CompletedAt,
		Demo: a.Demo}) ||
		!c.m.CreatedAt.Equal(a.CompletedAt) || c.m.CatalogueVersion != a.CatalogueVersion || c.m.SnapshotDigest != a.SnapshotDigest {
		return 0, invalid(name, "it is not the assessment the manifest tells of")
	}
	c.digest = snapshot.NewDigester(a.Account.ID, zoneIDs(a.AssessmentSummary))
	if c.o.Assessment != nil {
		c.o.Assessment(posture.Assessment{AssessmentSummary: a.AssessmentSummary, Checks: a.Checks})
	}
	return 1, nil
}

func (c *content) attackPaths(name string, data []byte) (int, error) {
	n, err := each(name, data, func(p posture.AttackPath) error {
		if c.paths[p.ID] {
			return invalid(name, "path %s is there twice", p.ID)
		}
		c.paths[p.ID] = true
		c.name(name, p.FindingIDs)
		return nil
	})
	if err == nil && n != c.a.AttackPaths {
		return 0, invalid(name, "it has %d paths and the assessment counts %d", n, c.a.AttackPaths)
	}
	return n, err
}

// name records finding ids that must exist in the end.
func (c *content) name(part string, ids []string) {
	for _, id := range ids {
		c.named[id] = part
	}
}

func (c *content) someFindings(name string, data []byte) (int, error) {
	return each(name, data, func(f posture.Finding) error {
		if f.ID != posture.FindingID(c.a.Account.ID, f.CheckID, f.Resource.Type, f.Resource.ID) {
			return invalid(name, "the id of finding %s does not follow from its account, check and resource", f.ID)
		}
		if c.findings[f.ID] {
			return invalid(name, "finding %s is there twice", f.ID)
		}
		c.findings[f.ID] = true
		for _, id := range f.AttackPathIDs {
			if !c.paths[id] {
				return invalid(name, "finding %s names an attack path that is not there", f.ID)
			}
		}
		c.counted.Total++
		c.counted.Count(f.Result, f.Severity)
		if c.o.Finding != nil {
			c.o.Finding(f)
		}
		return nil
	})
}

func (c *content) graph(name string, data []byte) (int, error) {
	var g struct {
		Nodes []struct {
			FindingIDs []string `json:"findingIds"`
		} `json:"nodes"`
	}
	if err := read(name, data, &g); err != nil {
		return 0, err
	}
	for _, n := range g.Nodes {
		c.name(name, n.FindingIDs)
	}
	return 1, nil
}

func (c *content) someSections(name string, data []byte) (int, error) {
	return each(name, data, func(r record) error {
		s, err := r.section()
		if err != nil {
			return invalid(name, "section %s of %q: %s", r.Source, r.Scope, err)
		}
		if c.last != nil && (c.last.Source > s.Source || c.last.Source == s.Source && c.last.Scope >= s.Scope) {
			return invalid(name, "section %s of %q is not in its place", s.Source, s.Scope)
		}
		c.last = &s
		c.digest.Add(s)
		if c.o.Section != nil {
			c.o.Section(s)
		}
		return nil
	})
}

// whole checks what needs the whole bundle.
func (c *content) whole() error {
	if c.m.Sections == Included && c.digest.Sum() != c.m.SnapshotDigest {
		return invalid(sectionsName+"*.json", "what the run read does not match the digest of its snapshot")
	}
	want := maps.Clone(c.a.Summary.BySeverity)
	maps.DeleteFunc(want, func(_ posture.Severity, n int) bool { return n == 0 })
	a, b := c.a.Summary, c.counted
	if a.Total != b.Total || a.Pass != b.Pass || a.Fail != b.Fail || a.Warning != b.Warning || a.Unknown != b.Unknown ||
		a.NotApplicable != b.NotApplicable ||
		!maps.Equal(want, b.BySeverity) || c.m.Findings != b.Total {
		return invalid(assessmentName, "its counts are not those of the findings")
	}
	for id, part := range c.named {
		if !c.findings[id] {
			return invalid(part, "it names finding %s, which is not there", id)
		}
	}
	return nil
}
