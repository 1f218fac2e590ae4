package command

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
)

// replayed gathers of a bundle what judging it again needs.
type replayed struct {
	assessment posture.Assessment
	policy     json.RawMessage
	sections   []snapshot.Section
	results    map[string]posture.Result
}

// replayResult says how the verdicts of the checks built in compare.
type replayResult struct {
	CatalogueVersion string   `json:"catalogueVersion"`
	Same             bool     `json:"same"`
	Findings         int      `json:"findings"`
	Differ           []string `json:"differ"`  // finding ids with another result
	Missing          []string `json:"missing"` // in the bundle only
	New              []string `json:"new"`     // of the checks built in only
}

func (r *replayed) watch(o *evidence.Options) {
	r.results = map[string]posture.Result{}
	o.Assessment = func(a posture.Assessment) { r.assessment = a }
	o.Policy = func(raw json.RawMessage) { r.policy = slices.Clone(raw) }
	o.Section = func(s snapshot.Section) { r.sections = append(r.sections, s) }
	o.Finding = func(f posture.Finding) { r.results[f.ID] = f.Result }
}

// judge runs the checks of the assessment, as this program has them, on what the
// bundle holds.
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
	out := &replayResult{CatalogueVersion: checks.Version, Differ: []string{}, Missing: []string{}, New: []string{}}
	for _, f := range check.Run(snap, chosen, policy).Findings {
		out.Findings++
		was, there := r.results[f.ID]
		switch {
		case !there:
			out.New = append(out.New, f.ID)
		case was != f.Result:
			out.Differ = append(out.Differ, f.ID)
		}
		delete(r.results, f.ID)
	}
	for id := range r.results {
		out.Missing = append(out.Missing, id)
	}
	slices.Sort(out.Missing)
	out.Same = len(out.Differ)+len(out.Missing)+len(out.New) == 0
	return out, nil
}

// snapshot freezes the sections. The zones in scope are those of the list that was
// read; a list that was not read had none.
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

func (r *replayResult) words() string {
	if r.Same {
		return fmt.Sprintf("judged again by the checks built in (catalogue %s): all %d verdicts are the same", r.CatalogueVersion, r.Findings)
	}
	return fmt.Sprintf("judged again by the checks built in (catalogue %s): %d verdicts differ, %d are gone, %d are new", r.CatalogueVersion,
		len(r.Differ), len(r.Missing), len(r.New))
}
