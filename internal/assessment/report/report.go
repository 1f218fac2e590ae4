// Package report joins findings with their history, their node in the graph, their attack paths,
// their score and the facts of the run into one assessment. It is the only package that does. It is
// pure; the caller passes the time.
package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/score"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Run holds the facts of a run that are not in the snapshot.
type Run struct {
	AssessmentID     string
	JobID            string
	StartedAt        time.Time
	CompletedAt      time.Time
	Demo             bool
	Profile          posture.Profile
	Sensitivity      posture.Sensitivity // empty means medium
	Scope            *posture.Scope      // nil means everything
	Note             string
	Requests         int
	CatalogueVersion string
	Incremental      bool          // earlier reads were meant to be reused
	NotCarried       string        // why earlier reads were not reused
	Exceptions       exception.Set // of the account, active at the end of the run
}

// Report is the complete result of a run.
type Report struct {
	Assessment    posture.Assessment // without its findings
	Findings      []posture.Verdict  // worst first
	Graph         *graph.Linked
	Paths         []posture.AttackPath
	Modifications []posture.Modification // oldest first
	History       History
}

// Build computes what follows from the findings of a run (graph, paths, history, exceptions, risk)
// and joins it. known iterates over the states of earlier findings in any order, with duplicates;
// nil means none. Build fails only if known does. Findings are sorted worst first; the order is
// total, so the same input gives the same bytes. The findings of ev are moved into the report,
// because a large account has too many to copy.
func Build(run Run, snap *snapshot.Snapshot, ev check.Evaluation, known func(tell func(posture.KnownState)) error) (Report, error) {
	findings := ev.Findings
	refs := Zones(snap)
	sc, marks, coverage := score.Of(ev, refs)
	for i := range refs {
		refs[i].Score = &marks[i]
	}
	g, nodeOf := graph.Build(snap, findings)
	paths := attackpath.Find(g, snap, findings, nodeOf)
	standings, history, err := recall(snap, ev, run.CompletedAt, known)
	if err != nil {
		return Report{}, err
	}
	join(findings, facts{nodeOf: nodeOf, pathsOf: pathsOf(paths), standings: standings, accepted: accepted(run.Exceptions, findings),
		sensitivity: cmp.Or(run.Sensitivity, posture.SensitivityMedium), idle: idleZones(snap)})
	MarkAccepted(paths, acceptedIDs(findings))
	slices.SortStableFunc(findings, compare)
	a := posture.Assessment{
		AssessmentSummary: posture.AssessmentSummary{
			ID: run.AssessmentID, JobID: run.JobID, Account: posture.AccountRef{ID: snap.Account.ID, Name: snap.Account.Name},
			Status: posture.Completed, StartedAt: run.StartedAt, CompletedAt: run.CompletedAt,
			DurationMS: run.CompletedAt.Sub(run.StartedAt).Milliseconds(), Demo: run.Demo, Profile: run.Profile,
			Sensitivity: cmp.Or(run.Sensitivity, posture.SensitivityMedium), Scope: run.Scope, Note: run.Note,
			TokenInfo: TokenInfo(snap), CatalogueVersion: run.CatalogueVersion, SnapshotDigest: snap.Digest(),
			Zones: refs, Requests: run.Requests, Carried: carried(run, snap), Score: sc, Coverage: coverage, Summary: summary(findings),
			AttackPaths: len(paths),
		},
		Checks: ev.Tallies,
	}
	if a.Summary.Unknown > 0 {
		a.Status = posture.CompletedWithGaps
	}
	return Report{Assessment: a, Findings: findings, Graph: g, Paths: paths, Modifications: modifications(snap), History: history}, nil
}

// facts holds the results of the steps of a report, by index of the finding unless stated
// otherwise.
type facts struct {
	nodeOf      []string
	pathsOf     map[string][]string // sorted path ids, by finding id
	standings   []*posture.Standing
	accepted    map[int]*posture.Acceptance
	sensitivity posture.Sensitivity
	idle        map[string]bool // zones without traffic
}

// join is the only function that modifies findings after they were judged.
func join(findings []posture.Verdict, of facts) {
	for i := range findings {
		f := &findings[i]
		f.NodeID, f.Standing, f.Accepted = of.nodeOf[i], of.standings[i], of.accepted[i]
		if f.AttackPathIDs = of.pathsOf[f.ID]; f.AttackPathIDs == nil {
			f.AttackPathIDs = []string{}
		}
		f.Risk = score.Risk(*f, of.sensitivity, of.idle[f.Resource.ZoneID])
	}
}

func pathsOf(paths []posture.AttackPath) map[string][]string {
	of := map[string][]string{}
	for _, p := range paths {
		for _, id := range p.FindingIDs {
			of[id] = append(of[id], p.ID)
		}
	}
	for _, ids := range of {
		slices.Sort(ids)
	}
	return of
}

// modifications returns the changes in the audit log; none when it was not read.
func modifications(snap *snapshot.Snapshot) []posture.Modification {
	changes, _ := snapshot.Read(snap, snapshot.AccountAuditChanges, snap.Account.ID)
	out := make([]posture.Modification, 0, len(changes))
	for _, c := range changes {
		out = append(out, posture.Modification{At: c.Time.UTC().Format(time.RFC3339Nano), Action: c.Action, Actor: c.Actor, Via: c.Via,
			Product: c.Product, ResourceID: c.ResourceID, ZoneID: c.ZoneID})
	}
	return out
}

// idleZones returns the zones that serve no traffic through the provider.
func idleZones(snap *snapshot.Snapshot) map[string]bool {
	idle := map[string]bool{}
	for _, z := range snap.Zones {
		idle[z.ID] = z.Status != "active" || z.Paused
	}
	return idle
}

func compare(a, b posture.Verdict) int {
	return cmp.Or(
		cmp.Compare(slices.Index(posture.Results(), a.Result), slices.Index(posture.Results(), b.Result)),
		cmp.Compare(b.Severity.Rank(), a.Severity.Rank()),
		cmp.Compare(a.CheckID, b.CheckID),
		cmp.Compare(a.Resource.Zone, b.Resource.Zone),
		cmp.Compare(a.Resource.Type, b.Resource.Type),
		cmp.Compare(a.Resource.ID, b.Resource.ID),
	)
}

// summary counts findings by result, and FAIL and WARNING by severity.
func summary(findings []posture.Verdict) posture.Summary {
	s := posture.Summary{Total: len(findings), BySeverity: map[posture.Severity]int{}}
	for _, v := range posture.Severities() {
		s.BySeverity[v] = 0
	}
	for i := range findings {
		s.Count(findings[i].Result, findings[i].Severity)
	}
	return s
}

// TokenInfo returns what the pre-flight check learned about the token.
func TokenInfo(snap *snapshot.Snapshot) posture.TokenInfo {
	for _, try := range []struct {
		key   snapshot.Key[snapshot.TokenVerify]
		scope string
		kind  string
	}{{snapshot.UserTokenVerify, snapshot.UserScope, "user"}, {snapshot.AccountTokenVerify, snap.Account.ID, "account"}} {
		v, sec := snapshot.Read(snap, try.key, try.scope)
		if sec.Status != snapshot.OK {
			continue
		}
		info := posture.TokenInfo{Kind: try.kind, ID: v.ID, Status: v.Status}
		if !v.ExpiresOn.IsZero() {
			at := v.ExpiresOn.UTC()
			days := int(at.Sub(snap.TakenAt).Hours() / 24)
			info.ExpiresOn, info.DaysLeft = &at, &days
		}
		return info
	}
	return posture.TokenInfo{Kind: "unknown", Status: "unknown",
		Error: "Cloudflare did not confirm the token: " + snap.Section(snapshot.UserTokenVerify.Source(), snapshot.UserScope).Reason}
}

// Zones returns the zones of a run without their marks.
func Zones(snap *snapshot.Snapshot) []posture.ZoneRef {
	out := make([]posture.ZoneRef, 0, len(snap.Zones))
	for _, z := range snap.Zones {
		status := z.Status
		if z.Paused {
			status = "paused"
		}
		out = append(out, posture.ZoneRef{ID: z.ID, Name: z.Name, Plan: z.Plan, Status: status})
	}
	return out
}
