package check

import (
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Unread records one resource whose verdict hangs on a section that nobody
// could read, with the permission that would help. Unlike Unknown it names that
// very section, for checks that read one source at many scopes.
func (j *Judgement) Unread(r posture.Resource, k snapshot.Named, scope string) {
	j.view.declared(k.Source())
	sec := j.view.snap.Section(k.Source(), scope)
	j.out.verdicts = append(j.out.verdicts, verdict{result: posture.Unknown, resource: r, reason: sectionReason(sec),
		permission: sec.Permission})
}

// Unclear records one resource that was read and still cannot be judged; what
// could not be read elsewhere is not to blame and is not mentioned.
func (j *Judgement) Unclear(r posture.Resource, reason string) {
	j.out.verdicts = append(j.out.verdicts, verdict{result: posture.Unknown, resource: r, reason: reason})
}

// UnreadEntryPoint is Unread for an entry point; the list that says whether
// there is one is blamed when it is what could not be read.
func (j *Judgement) UnreadEntryPoint(r posture.Resource, list, phase snapshot.Named, scope string) {
	j.view.declared(list.Source())
	if sec := j.view.snap.Section(list.Source(), scope); !sec.Status.Known() && sec.Status != snapshot.NotEntitled {
		phase = list
	}
	j.Unread(r, phase, scope)
}
