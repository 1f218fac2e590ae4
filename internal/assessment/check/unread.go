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

// AtLeast says of the warnings of an outcome that what could not be read may make them worse: the
// first unknown optional section is their reason. A comparison does not call one better than a FAIL.
func (v *View) AtLeast(o Outcome) Outcome {
	if v.undecided != nil {
		return o.atLeast(sectionReason(*v.undecided))
	}
	return o
}

// AtLeast is View.AtLeast for the last recorded verdict.
func (j *Judgement) AtLeast() {
	j.view.AtLeast(Outcome{verdicts: j.out.verdicts[len(j.out.verdicts)-1:]})
}

func (o Outcome) atLeast(reason string) Outcome {
	for i := range o.verdicts {
		if o.verdicts[i].result == posture.Warning {
			o.verdicts[i].reason = reason
		}
	}
	return o
}

// Unclear records one resource as UNKNOWN that was read but still cannot be judged. Sections that
// could not be read are not the reason, so they are not mentioned.
func (j *Judgement) Unclear(r posture.Resource, reason string) {
	j.out.verdicts = append(j.out.verdicts, verdict{result: posture.Unknown, resource: r, reason: reason})
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
