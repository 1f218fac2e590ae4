package compliance

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

//go:embed frameworks.json
var frameworksJSON string

// outline is a framework with its controls, in the framework's own order.
type outline struct {
	Framework
	Controls []struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		Group string `json:"group"`
	} `json:"controls"`
}

// outlines parses the embedded file. It cannot fail in a built program, because a test parses the
// same file.
func outlines() []outline {
	var all []outline
	if err := json.Unmarshal([]byte(frameworksJSON), &all); err != nil {
		panic("compliance: the embedded frameworks cannot be read: " + err.Error())
	}
	return all
}

// Frameworks lists the four frameworks: cis, soc2, pci, nist.
func Frameworks() []Framework {
	var out []Framework
	for _, o := range outlines() {
		out = append(out, o.Framework)
	}
	return out
}

// Parse finds a framework by its id or a common name, in any letter case.
func Parse(name string) (Framework, bool) {
	id := strings.ToLower(strings.TrimSpace(name))
	switch id {
	case "cis-benchmark":
		id = "cis"
	case "soc-2":
		id = "soc2"
	case "pci-dss":
		id = "pci"
	case "nist-csf":
		id = "nist"
	}
	for _, f := range Frameworks() {
		if f.ID == id {
			return f, true
		}
	}
	return Framework{}, false
}

// named returns the controls of one framework in c.
func named(frameworkID string, c posture.Controls) []string {
	return map[string][]string{"cis": c.CIS, "soc2": c.SOC2, "pci": c.PCI, "nist": c.NIST}[frameworkID]
}
