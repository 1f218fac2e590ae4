package check

import (
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Unread records one resource as UNKNOWN because its verdict depends on a section that could not be
// read, with the missing permission. Unlike Unknown it names that section, for checks that read one
// source at many scopes.
func (j *Judgement) Unread(r posture.Resource, k snapshot.Named, scope string) {
	j.view.declared(k.Source())
	sec := j.view.snap.SectionOf(k, scope)
	j.out.verdicts = append(j.out.verdicts, verdict{result: posture.Unknown, resource: r, reason: sectionReason(sec),
		permission: sec.Permission})
}

// Provisional says of the failures and warnings of an outcome that what could not be read may change how
// bad they are: the first unknown optional section is their reason. A comparison then calls a WARNING
// no better than a FAIL, and blames another severity on the read.
func (v *View) Provisional(o Outcome) Outcome {
	if v.undecided != nil {
		return o.because(sectionReason(*v.undecided))
	}
	return o
}

// Provisional is View.Provisional for the last recorded verdict.
func (j *Judgement) Provisional() {
	j.view.Provisional(Outcome{verdicts: j.out.verdicts[len(j.out.verdicts)-1:]})
}

func (o Outcome) because(reason string) Outcome {
	for i := range o.verdicts {
		if r := o.verdicts[i].result; r == posture.Fail || r == posture.Warning {
			o.verdicts[i].reason = reason
		}
	}
	return o
}

// Unclear records one resource as UNKNOWN that was read but still cannot be judged. Sections that
// could not be read are not the reason, so they are not mentioned.
func (j *Judgement) Unclear(r posture.Resource, reason string) {
	j.out.verdicts = append(j.out.verdicts, verdict{result: posture.Unknown, resource: r, reason: whole(reason)})
}

// UnreadEntryPoint is Unread for an entrypoint ruleset. It names the list of rulesets when that is
// what could not be read.
func (j *Judgement) UnreadEntryPoint(r posture.Resource, list, phase snapshot.Named, scope string) {
	j.view.declared(list.Source())
	if sec := j.view.snap.Section(list.Source(), scope); !sec.Status.Known() && sec.Status != snapshot.NotEntitled {
		phase = list
	}
	j.Unread(r, phase, scope)
}
