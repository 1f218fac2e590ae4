package assess

import (
	"context"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/assessment/report"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// SoFar is what a run that is still reading has found. A check that lacks data is UNKNOWN and not among
// the issues, so listed issues stay, and more may come.
type SoFar struct {
	Issues []issue.Issue `json:"issues" doc:"By rank."`
	Judged int           `json:"judged" doc:"Zones that were looked at: the first 200 of those with anything read."`
	Zones  int           `json:"zones" doc:"Zones the run reads, 0 until they are listed."`
}

// soFarZones bounds the cost of one answer.
const soFarZones = 200

// SoFar judges what a run has read so far. Nothing is requested and nothing is stored.
func (r *Runner) SoFar(ctx context.Context, run Run) (SoFar, error) {
	out := SoFar{Issues: []issue.Issue{}}
	policy, err := thresholds(run.Policy)
	if err != nil {
		return out, err
	}
	have, err := r.o.Store.Sections(ctx, run.Job.ID)
	if err != nil {
		return out, fmt.Errorf("load what the run has read: %w", err)
	}
	if run.Account.ID == "" || run.Job.StartedAt == nil || !hasSource(have, snapshot.ZoneList.Source()) {
		return out, nil
	}
	if run.Request.Zones, out.Zones, err = zonesRead(run, have); err != nil || len(run.Request.Zones) == 0 {
		return out, err
	}
	out.Judged = len(run.Request.Zones)
	snap, checks, err := r.offline().past(ctx, run, *run.Job.StartedAt, have, policy)
	if err != nil {
		return out, err
	}
	made, err := report.Build(report.Run{StartedAt: *run.Job.StartedAt, CompletedAt: r.o.Now().UTC(), Demo: run.Demo,
		Profile: run.Request.Profile, CatalogueVersion: r.o.CatalogueVersion}, snap, check.Run(snap, checks, policy), nil)
	if err != nil {
		return out, err
	}
	var sum issue.Sum
	for _, f := range posture.Findings(made.Findings) {
		sum.Add(run.Account.ID, f.Worded())
	}
	out.Issues = sum.Issues()
	return out, nil
}

// zonesRead returns the ids of the run's zones of which anything was read, and the number of all its
// zones.
func zonesRead(run Run, have []snapshot.Section) (ids []string, all int, err error) {
	read := map[string]bool{}
	var list snapshot.Section
	for _, s := range have {
		read[s.Scope] = read[s.Scope] || s.Status == snapshot.OK
		if s.Source == snapshot.ZoneList.Source() {
			list = s
		}
	}
	zones, err := ChooseZones(run.Request, zonesIn(list, run.Account.ID))
	for _, z := range zones {
		if read[z.ID] && len(ids) < soFarZones {
			ids = append(ids, z.ID)
		}
	}
	return ids, len(zones), err
}
