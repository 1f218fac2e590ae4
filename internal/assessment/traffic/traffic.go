// Package traffic determines what happens to a request at the edge, and why. A setting states the
// intention; zone and account rules, skips, configuration rules and pauses may override it, in an
// order that Cloudflare publishes (see Phases).
//
// A zone's traffic is cut into lanes: classes of requests within which everything that an aspect
// asks about is decided the same way. Each lane has a value, what decided it, what that overrode,
// and an example request. Sections that could not be read leave a value undecided, never decided.
// docs/traffic.md has a drawing and examples.
package traffic

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Aspect is one question about the traffic of a zone, such as the TLS mode to the origin.
type Aspect[T any] struct {
	Name string
	// Needs are the sources the answer depends on. A source that was not read leaves undecided
	// whatever it may change.
	Needs []snapshot.Named
	lanes func(*zone) []Lane[T]
	only  only
}

// Lanes returns the lanes of a zone, ordered by hostname. A zone whose traffic does not pass the
// edge has none.
func (a Aspect[T]) Lanes(snap *snapshot.Snapshot, z snapshot.Zone) []Lane[T] {
	return a.of(newZone(snap, z))
}

// Served lists the names that the edge serves for a zone, even a paused one. The caller must not
// modify them. The doubt is non-nil when some could not be read.
func (k Kept) Served(snap *snapshot.Snapshot, z snapshot.Zone) ([]Host, *Doubt) {
	return k.zone(snap, z).hosts()
}

// ServedAs returns the host of a zone that the edge serves a name as: itself, or the wildcard that
// covers it; nil for none.
func (k Kept) ServedAs(snap *snapshot.Snapshot, of snapshot.Zone, name string) *Host {
	z := k.zone(snap, of)
	hosts, _ := z.hosts()
	if i := slices.IndexFunc(hosts, func(h Host) bool { return h.Name == name }); i >= 0 {
		return &hosts[i]
	}
	return z.wildcardOf(name, hosts)
}

// zone returns the readings of a zone, cached in k.
func (k Kept) zone(snap *snapshot.Snapshot, of snapshot.Zone) *zone {
	key := keptKey{zone: of.ID}
	z, ok := k.of[key].(*zone)
	if !ok {
		z = newZone(snap, of)
		if k.of != nil {
			z.of.solved, k.of[key] = k.texts, z
		}
	}
	return z
}

// ServedNeeds lists the sources that Served reads.
func ServedNeeds() []snapshot.Named { return needs() }

// Kept caches computed lanes for several checks of one zone in turn; the zero value caches nothing. The lanes must not be
// modified. Not safe for concurrent use.
type Kept struct {
	texts *Texts
	of    map[keptKey]any
}

// NewKept returns an empty cache, which shares texts with those of other zones, in use at the same time or not.
func NewKept(texts *Texts) Kept { return Kept{texts, map[keptKey]any{}} }

type keptKey struct {
	aspect, zone string
	only         only
}

// KeptLanes is Lanes with a cache.
func (a Aspect[T]) KeptLanes(kept Kept, snap *snapshot.Snapshot, z snapshot.Zone) []Lane[T] {
	key := keptKey{a.Name, z.ID, a.only}
	lanes, ok := kept.of[key].([]Lane[T])
	if ok {
		return lanes
	}
	if kept.of == nil {
		return a.Lanes(snap, z)
	}
	lanes = a.of(kept.zone(snap, z))
	kept.of[key] = lanes
	return lanes
}

// of computes the lanes from a zone whose hosts and expressions may already have been read for
// another aspect.
func (a Aspect[T]) of(base *zone) []Lane[T] {
	if base.Status != "active" || base.Paused || base.Type == "internal" {
		return nil
	}
	z := *base
	z.only = a.only
	return a.lanes(&z)
}

// Of narrows the aspect to the requests that meet a condition of the rules language, and to one
// host unless host is "".
func (a Aspect[T]) Of(host, condition string) Aspect[T] {
	a.only = only{host: strings.ToLower(host), condition: condition}
	return a
}

// only narrows the requests that are considered.
type only struct{ host, condition string }

// Sources merges the needs of several aspects without duplicates.
func Sources(needs ...[]snapshot.Named) []snapshot.Named { return union(needs...) }

// needs adds the sources that define the hosts of a zone. They are read in any case, for the graph.
func needs(more ...snapshot.Named) []snapshot.Named {
	return append([]snapshot.Named{snapshot.ZoneList, snapshot.ZoneDNSRecords, snapshot.ZoneLoadBalancers, snapshot.LBPools,
		snapshot.ZoneCustomHostnames}, more...)
}

// Lane is a class of requests that all get the same value.
type Lane[T any] struct {
	Hosts   []Host
	Value   T
	example func() Request
}

// Example returns a request of the lane.
func (l Lane[T]) Example() Request { return l.example() }

// By is the setting or rule that decides something.
type By struct {
	Source  snapshot.Named
	Pointer string
	// Rule is empty for a setting.
	Rule, Name string
	Account    bool
}

// Doubt is why something is undecided: a section that was not read, or a reason in words.
type Doubt struct {
	Source snapshot.Named
	Scope  string
	Why    string
	phase  string
	// account is set when rules of the account could not be read.
	account bool
}

// Value is the value of something for a lane and what decided it. When Doubt is not nil, Is and
// each of Or are possible; without Or, anything is.
type Value[T comparable] struct {
	Is       T
	By       By
	Overrode []By
	Or       []T
	Doubt    *Doubt
}

// valueKey identifies equal values.
type valueKey[T comparable] struct {
	is    T
	by    By
	or    string
	doubt bool
}

func (v Value[T]) key() valueKey[T] {
	k := valueKey[T]{is: v.Is, by: v.By, doubt: v.Doubt != nil}
	if len(v.Or) > 0 {
		k.or = fmt.Sprint(v.Or)
	}
	return k
}

// Set returns the value after a rule that certainly applies.
func (v Value[T]) Set(is T, by By) Value[T] {
	return Value[T]{Is: is, By: by, Overrode: append(slices.Clone(v.Overrode), v.By)}
}

// perhaps returns the value after a rule that may apply and would then make it after.
func (v Value[T]) perhaps(after Value[T], why Doubt) Value[T] {
	doubt := cmp.Or(v.Doubt, after.Doubt, &why)
	if v.open() || after.open() {
		v.Doubt, v.Or = doubt, nil
		return v
	}
	possible := union([]T{v.Is}, v.Or, []T{after.Is}, after.Or)
	if len(possible) > 1 {
		v.Doubt, v.Or = doubt, possible[1:]
	}
	return v
}

// union returns the values of several lists, each once.
func union[T comparable](lists ...[]T) (out []T) {
	for _, v := range slices.Concat(lists...) {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// open reports whether nothing is known about the value.
func (v Value[T]) open() bool { return v.Doubt != nil && len(v.Or) == 0 }

// Holds returns whether the value satisfies a condition, in three-valued logic.
func (v Value[T]) Holds(is func(T) bool) truth.Value {
	out := truth.Is(is(v.Is))
	if v.open() {
		return truth.Undecided
	}
	for _, o := range v.Or {
		if truth.Is(is(o)) != out {
			return truth.Undecided
		}
	}
	return out
}

// zone reads what is known about one zone.
type zone struct {
	snapshot.Zone
	snap *snapshot.Snapshot
	only only
	of   *readings
}

// readings is what several aspects read of a zone.
type readings struct {
	parsed   map[string]expression.Expr
	patterns map[string]*regexp.Regexp
	spaces   map[spaceKey]*space
	solved   *Texts
	served   func() ([]Host, *Doubt)
	names    func() map[string]bool
}

func newZone(snap *snapshot.Snapshot, of snapshot.Zone) *zone {
	z := &zone{Zone: of, snap: snap}
	z.of = &readings{parsed: map[string]expression.Expr{}, patterns: map[string]*regexp.Regexp{}, spaces: map[spaceKey]*space{},
		solved: &Texts{}, served: sync.OnceValues(z.served), names: sync.OnceValue(z.recorded)}
	return z
}

// read returns a section of the zone or of the account, and the doubt when it is not known.
func read[T any](z *zone, k snapshot.Key[T]) (T, *Doubt) {
	scope := z.ID
	if snapshot.LevelOf(k.Source()) != snapshot.LevelZone {
		scope = z.snap.Account.ID
	}
	return readAt(z, k, scope)
}

func readAt[T any](z *zone, k snapshot.Key[T], scope string) (T, *Doubt) {
	value, sec := snapshot.Read(z.snap, k, scope)
	if sec.Status.Known() || sec.Status == snapshot.NotEntitled {
		return value, nil
	}
	return value, &Doubt{Source: k, Scope: scope}
}

// settings returns the settings of the zone, and the doubt when the given setting is not known.
func (z *zone) settings(id string) (snapshot.Settings, *Doubt) {
	settings, doubt := read(z, snapshot.ZoneSettings)
	one := snapshot.ZoneSetting(id)
	if sec := z.snap.SectionOf(one, z.ID); doubt == nil && sec.Status == snapshot.LeftOut {
		doubt = &Doubt{Source: one, Scope: z.ID}
	}
	return settings, doubt
}
