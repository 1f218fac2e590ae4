package drift_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// world is an account as it truly is: what every check would say of every
// resource if everything could be read. "" is what is right or not there.
type world map[string]map[posture.Resource]posture.Result

// reading is what a run can and does look at.
type reading struct {
	zones  []string
	skip   map[string]bool // checks left out
	denied map[string]bool // "<check> <unit id>"
}

const (
	byZone     = "ZON" // runs for each zone, reports records
	byItem     = "ITM" // runs for each worker
	acrossZone = "ACR" // runs once, reports rules in zones, names each zone it could not read
	onAccount  = "ACC" // runs once, reports members
	aboutZones = "ABT" // runs once, reports the account when a zone is wrong
)

func worker(id string) posture.Resource {
	return posture.Resource{Type: posture.ResourceWorker, ID: id, Name: id}
}

func rule(z, id string) posture.Resource {
	return posture.Resource{Type: posture.ResourceRule, ID: id, Name: id, ZoneID: z, Zone: z + ".example"}
}

func newWorld(rnd *rand.Rand) world {
	w := world{}
	some := func(check string, r posture.Resource) {
		if w[check] == nil {
			w[check] = map[posture.Resource]posture.Result{}
		}
		w[check][r] = []posture.Result{"", "", posture.Fail, posture.Warning}[rnd.IntN(4)]
	}
	for z := range 4 {
		id := fmt.Sprint("z", z)
		for r := range 3 {
			some(byZone, record(id, fmt.Sprint(id, "r", r)))
		}
		some(acrossZone, rule(id, id+"u"))
		some(aboutZones, zone(id))
	}
	for i := range 3 {
		some(byItem, worker(fmt.Sprint("w", i)))
		some(onAccount, member(fmt.Sprint("m", i)))
	}
	return w
}

func newReading(rnd *rand.Rand) reading {
	r := reading{skip: map[string]bool{}, denied: map[string]bool{}}
	for z := range 4 {
		if rnd.IntN(6) > 0 {
			r.zones = append(r.zones, fmt.Sprint("z", z))
		}
	}
	for _, c := range []string{byZone, byItem, acrossZone, onAccount, aboutZones} {
		r.skip[c] = rnd.IntN(8) == 0
		for _, unit := range []string{account, "z0", "z1", "z2", "z3", "w0", "w1", "w2"} {
			r.denied[c+" "+unit] = rnd.IntN(8) == 0
		}
	}
	return r
}

// bad lists what a check would report in a zone ("" for all) of a world.
func (w world) bad(check, zoneID string, r reading) (out []posture.Finding) {
	for res, result := range w[check] {
		if result == "" || zoneID != "" && res.ZoneID != zoneID || res.ZoneID != "" && !slices.Contains(r.zones, res.ZoneID) {
			continue
		}
		f := finding(check, result, res)
		if res.ZoneID != "" {
			f.Evidence[0].Source = "zone/settings"
		}
		out = append(out, f)
	}
	return out
}

// run reports as the engine does: FAIL and WARNING for each resource, PASS for
// each unit that has none, UNKNOWN for each unit that could not be read.
func (w world) run(id string, r reading) drift.Side {
	var out []posture.Finding
	unit := func(check string, res posture.Resource, bad []posture.Finding) {
		switch {
		case r.denied[check+" "+res.ID]:
			out = append(out, finding(check, posture.Unknown, res))
		case len(bad) == 0:
			out = append(out, finding(check, posture.Pass, res))
		default:
			out = append(out, bad...)
		}
	}
	checks := map[string]func(){
		byZone: func() {
			for _, z := range r.zones {
				unit(byZone, zone(z), w.bad(byZone, z, r))
			}
		},
		byItem: func() {
			for res, result := range w[byItem] {
				var bad []posture.Finding
				if result != "" {
					bad = append(bad, finding(byItem, result, res))
				}
				unit(byItem, res, bad)
			}
		},
		onAccount: func() { unit(onAccount, whole(), w.bad(onAccount, "", r)) },
		acrossZone: func() {
			n := len(out)
			for _, z := range r.zones {
				if r.denied[acrossZone+" "+z] {
					out = append(out, finding(acrossZone, posture.Unknown, zone(z)))
				} else {
					out = append(out, w.bad(acrossZone, z, r)...)
				}
			}
			if len(out) == n {
				out = append(out, finding(acrossZone, posture.Pass, whole()))
			}
		},
		aboutZones: func() {
			if bad := w.bad(aboutZones, "", r); len(bad) > 0 {
				f := finding(aboutZones, posture.Fail, whole())
				f.Evidence[0].Source = "zone/settings"
				unit(aboutZones, whole(), []posture.Finding{f})
			} else {
				unit(aboutZones, whole(), nil)
			}
		},
	}
	for c, do := range checks {
		if !r.skip[c] {
			do()
		}
	}
	slices.SortFunc(out, func(a, b posture.Finding) int { return cmp.Compare(a.ID, b.ID) })
	return side(id, r.zones, out)
}

// truth is what a check would say of a resource with everything in sight; of
// the account, with the zones of one side in sight.
func (w world) truth(check string, r posture.Resource, s drift.Side) posture.Result {
	if check != aboutZones {
		return w[check][r]
	}
	for _, z := range s.Assessment.Zones {
		if w[aboutZones][zone(z.ID)] != "" {
			return posture.Fail
		}
	}
	return ""
}

// open says that a result asks for something.
func open(r posture.Result) bool { return r == posture.Fail || r == posture.Warning }

type pairOfWorlds struct {
	before, after world
	a, b          drift.Side
}

func worlds(seed uint64) pairOfWorlds {
	rnd := rand.New(rand.NewPCG(seed, 7))
	p := pairOfWorlds{before: newWorld(rnd), after: newWorld(rnd)}
	before, after := newReading(rnd), newReading(rnd)
	// What a run did not read of the zones is not in the account, or the run was narrowed, in turn.
	if seed%2 == 0 {
		p.before.only(before.zones)
		p.after.only(after.zones)
	}
	p.a, p.b = p.before.run("a", before), p.after.run("bb", after)
	if seed%2 == 1 {
		p.a.Assessment.Scope, p.b.Assessment.Scope = narrowed(before), narrowed(after)
	}
	return p
}

// only takes what lies in other zones out of a world.
func (w world) only(zones []string) {
	for _, of := range w {
		for res := range of {
			if res.ZoneID != "" && !slices.Contains(zones, res.ZoneID) {
				delete(of, res)
			}
		}
	}
}

func narrowed(r reading) *posture.Scope {
	return &posture.Scope{Zones: append([]string{"none.example"}, r.zones...)}
}
