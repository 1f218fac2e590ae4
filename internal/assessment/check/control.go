package check

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Controls maps a check to framework controls, one entry per control.
type Controls []posture.Mapping

// Shows maps to a control, named like "pci 4.2.1", that is met when the check passes. The reason is
// one sentence.
func Shows(control, reason string) posture.Mapping { return mapped(control, posture.Shows, reason) }

// Supports maps to a control that the check judges in part.
func Supports(control, reason string) posture.Mapping {
	return mapped(control, posture.Supports, reason)
}

// Touches maps to a related control that the check does not decide.
func Touches(control, reason string) posture.Mapping { return mapped(control, posture.Touches, reason) }

func mapped(control string, s posture.Strength, reason string) posture.Mapping {
	framework, id, _ := strings.Cut(control, " ")
	return posture.Mapping{Framework: framework, Control: id, Strength: s, Reason: reason}
}

// Named groups the control ids by framework.
func (c Controls) Named() posture.Controls {
	out := posture.Controls{CIS: []string{}, SOC2: []string{}, PCI: []string{}, NIST: []string{}}
	for _, m := range c {
		switch m.Framework {
		case "cis":
			out.CIS = append(out.CIS, m.Control)
		case "soc2":
			out.SOC2 = append(out.SOC2, m.Control)
		case "pci":
			out.PCI = append(out.PCI, m.Control)
		case "nist":
			out.NIST = append(out.NIST, m.Control)
		}
	}
	return out
}
