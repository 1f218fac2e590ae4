package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
)

// replayed collects from a bundle what is needed to judge it again.
type replayed struct {
	assessment posture.Assessment
	policy     json.RawMessage
	sections   []snapshot.Section
	findings   map[string]verdict
}

// verdict is the result of a finding in the bundle.
type verdict struct {
	checkID  string
	resource posture.Resource
	result   posture.Result
}

// changedVerdict is a finding that the built-in checks judge differently, and why. Before is empty
// for a new finding, After for one that is gone.
type changedVerdict struct {
	FindingID string           `json:"findingId"`
	CheckID   string           `json:"checkId"`
	Resource  posture.Resource `json:"resource"`
	Before    posture.Result   `json:"before,omitempty"`
	After     posture.Result   `json:"after,omitempty"`
	Message   string           `json:"message,omitempty"`
	Why       []string         `json:"why"` // changes of the check since the bundle's catalogue
}

// replayResult compares the verdicts of the built-in checks with those of the bundle.
type replayResult struct {
	CatalogueVersion string   `json:"catalogueVersion"`
	Same             bool     `json:"same"`
	Findings         int      `json:"findings"`
	Differ           []string `json:"differ"`  // ids of findings with another result
	Missing          []string `json:"missing"` // only in the bundle
	New              []string `json:"new"`     // only from the built-in checks
	// Changes are the same findings with their verdicts, sorted by check and id.
	Changes []changedVerdict `json:"changes"`
}

func (r *replayed) watch(o *evidence.Options) {
	r.findings = map[string]verdict{}
	o.Assessment = func(a posture.Assessment) { r.assessment = a }
	o.Policy = func(raw json.RawMessage) { r.policy = slices.Clone(raw) }
	o.Section = func(s snapshot.Section) { r.sections = append(r.sections, s) }
	o.Finding = func(f posture.Finding) { r.findings[f.ID] = verdict{f.CheckID, f.Resource, f.Result} }
}

// judge runs the assessment's checks, as built into this program, on the data in the bundle.
func (r *replayed) judge(m evidence.Manifest) (*replayResult, error) {
	if m.Sections != evidence.Included || m.Policy != evidence.Included {
		return nil, usage("--replay needs what the run read and its thresholds, which this bundle does not hold; leave --replay out")
	}
	policy, err := policy.Parse(r.policy)
	if err != nil {
		return nil, ending(exitError, "the thresholds in the bundle cannot be used (%s); replay it with the version that made it", err)
	}
	snap, err := r.snapshot()
	if err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(checks.All(), func(c check.Check) bool {
		return !slices.ContainsFunc(r.assessment.Checks, func(t posture.CheckTally) bool { return t.CheckID == c.ID })
	})
	out := &replayResult{CatalogueVersion: checks.Version, Differ: []string{}, Missing: []string{}, New: []string{},
		Changes: []changedVerdict{}}
	changed := func(c changedVerdict) {
		c.Why = append([]string{}, checks.Changes(c.CheckID, r.assessment.CatalogueVersion)...)
		out.Changes = append(out.Changes, c)
	}
	for _, f := range check.Run(snap, chosen, policy).Findings {
		out.Findings++
		was, there := r.findings[f.ID]
		delete(r.findings, f.ID)
		if there && was.result == f.Result {
			continue
		}
		if there {
			out.Differ = append(out.Differ, f.ID)
		} else {
			out.New = append(out.New, f.ID)
		}
		changed(changedVerdict{FindingID: f.ID, CheckID: f.CheckID, Resource: *f.Resource, Before: was.result, After: f.Result,
			Message: f.Message})
	}
	for id, was := range r.findings {
		out.Missing = append(out.Missing, id)
		changed(changedVerdict{FindingID: id, CheckID: was.checkID, Resource: was.resource, Before: was.result})
	}
	slices.Sort(out.Missing)
	slices.SortFunc(out.Changes, func(a, b changedVerdict) int {
		return cmp.Or(cmp.Compare(a.CheckID, b.CheckID), cmp.Compare(a.FindingID, b.FindingID))
	})
	out.Same = len(out.Changes) == 0
	return out, nil
}

// snapshot builds the snapshot from the sections. The zones in scope come from the zone list that
// was read; if that could not be read there are none.
func (r *replayed) snapshot() (*snapshot.Snapshot, error) {
	a := r.assessment
	account := snapshot.AccountRef{ID: a.Account.ID, Name: a.Account.Name}
	whole, err := snapshot.New(account, a.StartedAt, nil, r.sections)
	if err != nil {
		return nil, fmt.Errorf("freeze the snapshot: %w", err)
	}
	list, _ := snapshot.Read(whole, snapshot.ZoneList, account.ID)
	var zones []snapshot.Zone
	for _, z := range list {
		if slices.ContainsFunc(a.Zones, func(ref posture.ZoneRef) bool { return ref.ID == z.ID }) {
			zones = append(zones, z)
		}
	}
	return snapshot.New(account, a.StartedAt, zones, r.sections)
}

// tell prints what changed, and why for each check.
func (r *replayResult) tell(w io.Writer) {
	if r.Same {
		line(w, "judged again by the checks built in (catalogue %s): all %d verdicts are the same", r.CatalogueVersion, r.Findings)
		return
	}
	line(w, "judged again by the checks built in (catalogue %s), verdicts that differ: %d, that are gone: %d, that are new: %d",
		r.CatalogueVersion, len(r.Differ), len(r.Missing), len(r.New))
	for i, c := range r.Changes {
		if i == 0 || r.Changes[i-1].CheckID != c.CheckID {
			line(w, "%s", strings.TrimSuffix(c.CheckID+": "+strings.Join(c.Why, " "), ": "))
		}
		name := cmp.Or(c.Resource.Name, c.Resource.ID)
		switch {
		case c.Before == "":
			line(w, "- %s %s: new, %s. %s", c.Resource.Type, name, c.After, c.Message)
		case c.After == "":
			line(w, "- %s %s: was %s, and is not reported", c.Resource.Type, name, c.Before)
		default:
			line(w, "- %s %s: was %s, is %s. %s", c.Resource.Type, name, c.Before, c.After, c.Message)
		}
	}
}
