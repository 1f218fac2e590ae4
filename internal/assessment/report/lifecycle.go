package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// History is how a run changed the status of an account's findings.
type History struct {
	Closed   []posture.ClosedFinding // sorted by id
	Turnover trend.StatusDelta
}

// recall returns the status of each finding of a run, given the earlier ones, and what the run
// changed. known iterates over the earlier states in any order, with duplicates; nil means none.
// Durations of closed findings are measured up to now.
func recall(snap *snapshot.Snapshot, ev check.Evaluation, now time.Time,
	known func(tell func(posture.KnownState)) error) ([]*posture.Standing, History, error) {
	r := &recalling{snap: snap, ev: ev, now: now, places: make(map[string]int, len(ev.Findings)), twins: map[int][]int{},
		gone: map[string]posture.KnownState{}, of: make([]*posture.Standing, len(ev.Findings)),
		standings: map[posture.Standing]*posture.Standing{},
		history:   History{Turnover: trend.StatusDelta{Closed: map[posture.Severity]trend.Closed{}}}}
	for i := range ev.Findings {
		id := ev.Findings[i].ID
		if first, twin := r.places[id]; twin {
			r.twins[first] = append(r.twins[first], i)
		} else {
			r.places[id] = i
		}
	}
	if known != nil {
		if err := known(r.tell); err != nil {
			return nil, History{}, err
		}
	}
	for i := range ev.Findings {
		r.decide(i, nil)
	}
	r.close()
	return r.of, r.history, nil
}

// recalling is the state of one recall.
type recalling struct {
	snap   *snapshot.Snapshot
	ev     check.Evaluation
	now    time.Time
	places map[string]int // index of each finding of the run, by id
	twins  map[int][]int  // other findings with the same id: the same resource id in two zones
	gone   map[string]posture.KnownState
	of     []*posture.Standing // by finding, nil until decided
	// standings holds the distinct standings of the run; most of its findings share one.
	standings map[posture.Standing]*posture.Standing
	history   History
}

func (r *recalling) tell(b posture.KnownState) {
	if i, here := r.places[b.FindingID]; here {
		r.decide(i, &b.FindingState)
		for _, twin := range r.twins[i] {
			r.decide(twin, &b.FindingState)
		}
	} else if b.Status == posture.StatusOpen || b.Status == posture.StatusReopened {
		r.gone[b.FindingID] = b
	}
}

// decide decides the status of a finding of the run, once.
func (r *recalling) decide(i int, before *posture.FindingState) {
	if r.of[i] != nil {
		return
	}
	f := r.ev.Findings[i]
	s := history(f.Result, before, r.snap.TakenAt)
	if r.standings[s] == nil {
		r.standings[s] = &s
	}
	f.Standing = r.standings[s]
	r.of[i] = f.Standing
	addTransition(&r.history.Turnover, before, f.State(), f.Severity, r.now)
}

// history returns the status of a finding given its earlier state. A first failure is open, however
// often the check passed before.
func history(result posture.Result, before *posture.FindingState, now time.Time) posture.Standing {
	known := before != nil
	var b posture.FindingState
	if known {
		b = *before
	}
	s := posture.Standing{FirstSeen: now, LastSeen: now}
	open := result == posture.Fail || result == posture.Warning
	if known && b.Opened == (b.Opened || open) {
		s.FirstSeen = b.FirstSeen
	}
	if b.Opened && !open {
		s.LastSeen = b.LastSeen
	}
	s.Opened = b.Opened || open
	switch {
	case open && b.Opened && b.Status != posture.StatusOpen:
		s.Status = posture.StatusReopened
	case open:
		s.Status = posture.StatusOpen
	case result == posture.Unknown && known && b.Status != "":
		s.Status, s.Resolution = b.Status, b.Resolution // UNKNOWN neither opens nor resolves
	case result == posture.Unknown:
		s.Status = posture.StatusOpen
	default:
		s.Status = posture.StatusResolved
		if s.Opened {
			s.Resolution = cmp.Or(b.Resolution, posture.ResolutionFixed)
		}
	}
	return s
}

// close decides about every open finding of earlier runs that this run does not have. A fixed
// resource has no PASS of its own, so its finding is missing, but so is the finding of a resource
// that was not looked at. It is closed when
//
//   - its check was run, and its resource is missing from a list that was read
//     completely: deleted;
//   - its check was run, its zone was in scope, and its unit (zone, tunnel, worker,
//     bucket, account) was judged without any UNKNOWN: fixed, or deleted.
//
// Everything else stays as it was.
func (r *recalling) close() {
	s := sightOf(r.snap, r.ev)
	for id, b := range r.gone {
		reach, ran := r.ev.Reach[b.CheckID]
		if !ran {
			continue
		}
		if how := s.resolution(reach, b.CheckID, b.Resource); how != "" {
			r.history.Closed = append(r.history.Closed, posture.ClosedFinding{FindingID: id, Resolution: how})
			addTransition(&r.history.Turnover, &b.FindingState, posture.FindingState{Status: posture.StatusResolved}, b.Severity, r.now)
		}
	}
	slices.SortFunc(r.history.Closed, func(a, b posture.ClosedFinding) int { return cmp.Compare(a.FindingID, b.FindingID) })
}

// sight is what a run covered.
type sight struct {
	snap   *snapshot.Snapshot
	zones  map[string]bool // in scope
	listed map[string]bool // all zones of the account; nil when unknown
	blind  map[string]map[string]bool
}

// sightOf collects it. blind holds, for each check with an UNKNOWN or a finding that hides others, their zones,
// "" for those outside zones.
func sightOf(snap *snapshot.Snapshot, ev check.Evaluation) sight {
	s := sight{snap: snap, zones: map[string]bool{}, blind: map[string]map[string]bool{}}
	for _, z := range snap.Zones {
		s.zones[z.ID] = true
	}
	if list, sec := snapshot.Read(snap, snapshot.ZoneList, snap.Account.ID); sec.Status.Known() {
		s.listed = map[string]bool{}
		for _, z := range list {
			s.listed[z.ID] = true
		}
	}
	for i := range ev.Findings {
		f := &ev.Findings[i]
		if f.Result != posture.Unknown && !posture.Hides(f.Result, f.Reason, *f.Resource) {
			continue
		}
		if s.blind[f.CheckID] == nil {
			s.blind[f.CheckID] = map[string]bool{}
		}
		s.blind[f.CheckID][f.Resource.OwnZone()] = true
	}
	return s
}

// resolution returns how the finding was closed, "" when it may still be open.
func (s sight) resolution(reach check.Reach, checkID string, of posture.Resource) posture.Resolution {
	zone := of.OwnZone()
	if zone != "" && s.listed != nil && !s.listed[zone] {
		return posture.ResolutionDeleted
	}
	if zone != "" && !s.zones[zone] {
		return ""
	}
	missing := s.missing(reach, of)
	if missing && isUnit(reach.Scope, of.Type) {
		return posture.ResolutionDeleted
	}
	if !s.judged(reach, checkID, zone) {
		return ""
	}
	if missing {
		return posture.ResolutionDeleted
	}
	return posture.ResolutionFixed
}

// isUnit reports whether the check runs once per resource of the type. Then only the list of these
// resources shows whether one exists.
func isUnit(scope check.Scope, t posture.ResourceType) bool {
	return scope == check.PerTunnel && t == posture.ResourceTunnel || scope == check.PerWorker && t == posture.ResourceWorker ||
		scope == check.PerBucket && t == posture.ResourceBucket
}

// judged reports whether the unit of a finding was judged without an UNKNOWN. The item a finding
// belongs to is not known, so in item scopes any UNKNOWN of the check counts.
func (s sight) judged(reach check.Reach, checkID, zone string) bool {
	blind := s.blind[checkID]
	if reach.Scope == check.PerZone && zone != "" {
		return !blind[zone] && !blind[""]
	}
	if len(blind) > 0 {
		return false
	}
	// It may be in a zone that this run left out.
	return zone != "" || !zonal(reach) || s.listed != nil && len(s.listed) == len(s.zones)
}

// zonal reports whether a verdict may depend on the zones in scope.
func zonal(reach check.Reach) bool {
	return reach.Scope == check.PerZone || slices.ContainsFunc(reach.Reads, func(source string) bool {
		return source == snapshot.ZoneList.Source() || snapshot.LevelOf(source) == snapshot.LevelZone || snapshot.InZone(source)
	})
}

// missing reports whether a resource is no longer in its list, among the lists the check reads.
// Types without a list are never missing: their finding counts as fixed.
func (s sight) missing(reach check.Reach, r posture.Resource) bool {
	account := s.snap.Account.ID
	switch r.Type {
	case posture.ResourceTunnel:
		return gone(s.snap, reach, isUnit(reach.Scope, r.Type), snapshot.Tunnels, account, func(t snapshot.Tunnel) bool { return t.ID == r.ID })
	case posture.ResourceWorker:
		return gone(s.snap, reach, isUnit(reach.Scope, r.Type), snapshot.Workers, account, func(w snapshot.Worker) bool { return w.ID == r.ID })
	case posture.ResourceBucket:
		return gone(s.snap, reach, isUnit(reach.Scope, r.Type), snapshot.R2Buckets, account,
			func(b snapshot.Bucket) bool { return b.SortKey() == r.ID })
	case posture.ResourceDNSRecord:
		return gone(s.snap, reach, false, snapshot.ZoneDNSRecords, r.ZoneID, func(d snapshot.DNSRecord) bool { return d.ID == r.ID })
	case posture.ResourceAccessApp:
		return gone(s.snap, reach, false, snapshot.AccessApps, account, func(a snapshot.AccessApp) bool { return a.ID == r.ID })
	case posture.ResourcePagesProject:
		return gone(s.snap, reach, false, snapshot.PagesProjects, account, func(p snapshot.PagesProject) bool { return p.Name == r.ID })
	default:
		return false
	}
}

// gone reports whether a list was read and no item matches. unit means that the list holds the
// units of the check.
func gone[T any](snap *snapshot.Snapshot, reach check.Reach, unit bool, list snapshot.Key[[]T], scope string, same func(T) bool) bool {
	if !unit && !slices.Contains(reach.Reads, list.Source()) {
		return false
	}
	items, sec := snapshot.Read(snap, list, scope)
	return sec.Status.Known() && !slices.ContainsFunc(items, same)
}
