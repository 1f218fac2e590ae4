package traffic

import (
	"cmp"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// lanesOf computes the lanes of each class of hosts.
func lanesOf[T any](z *zone, texts []string, of func(Kind) bool, work func(*space) []state[T]) []Lane[T] {
	all, _ := z.hosts()
	if z.only.host != "" {
		i := slices.IndexFunc(all, func(h Host) bool { return h.Name == z.only.host })
		one := Host{Name: z.only.host, Kind: Origin}
		if i >= 0 {
			one = all[i]
		}
		all = []Host{one}
	}
	all = slices.DeleteFunc(slices.Clone(all), func(h Host) bool { return !of(h.Kind) })
	if z.only.condition != "" {
		texts = append(slices.Clone(texts), z.only.condition)
	}
	found := classes(z, all, texts)
	worked, n := make([][]state[T], len(found)), 0
	spaces := make([]*space, len(found))
	for i, c := range found {
		s := z.space(c, texts)
		s.bound = min(maxBoxes, max(minBoxes, allBoxes/len(found)))
		spaces[i], worked[i] = s, work(s)
		n += len(worked[i])
	}
	out := make([]Lane[T], 0, n)
	for i, c := range found {
		s := spaces[i]
		for _, l := range worked[i] {
			if len(l.boxes) == 0 {
				continue // no request to these hosts meets the condition of the aspect
			}
			out = append(out, Lane[T]{Hosts: c.hosts, Value: l.value, example: func() Request { return s.request(s.plainest(l.boxes)) }})
		}
	}
	return out
}

// unlisted adds a lane of which nothing is known for the hosts that could not be read, unless no rule tells hosts apart.
func unlisted[T comparable](z *zone, lanes []Lane[Value[T]], ruled bool) []Lane[Value[T]] {
	_, doubt := z.hosts()
	if doubt == nil || z.only.host != "" || !ruled && len(lanes) > 0 {
		return lanes
	}
	return append(lanes, Lane[Value[T]]{Value: Value[T]{Doubt: doubt}, example: func() Request { return Request{Host: z.Name, Path: "/"} }})
}

// Listed counts the lanes of hosts that were read.
func Listed[T any](lanes []Lane[T]) (n int) {
	for _, l := range lanes {
		if len(l.Hosts) > 0 {
			n++
		}
	}
	return n
}

// start returns the requests to consider: all, or those that certainly or perhaps meet the
// condition of the aspect.
func (s *space) start() []box {
	all := []state[bool]{{boxes: []box{s.whole()}}}
	if s.z.only.condition == "" {
		return all[0].boxes
	}
	yes := func(bool) bool { return true }
	for _, l := range apply(s, all, s.z.only.condition, yes, yes, func(v bool) bool { return v }) {
		if l.value {
			return l.boxes
		}
	}
	return nil
}

// plainest returns the box with the most ordinary requests: values are ordered from plain to
// unusual.
func (s *space) plainest(boxes []box) box {
	odd := func(b box) (n int) {
		for i := range s.parts {
			n += lowest(s.values(b, i))
		}
		return n
	}
	return slices.MinFunc(boxes, func(a, b box) int { return cmp.Compare(odd(a), odd(b)) })
}

// Coverage says whether something holds for every request, and for some request.
type Coverage struct{ All, Some truth.Value }

// Cover returns for how much of the traffic a value satisfies a condition. Without lanes, both are
// No.
func Cover[T any](lanes []Lane[T], is func(T) truth.Value) Coverage {
	out := Coverage{All: truth.Is(len(lanes) > 0)}
	for _, l := range lanes {
		v := is(l.Value)
		out.All, out.Some = truth.And(out.All, v), truth.Or(out.Some, v)
		if out.All == truth.No && out.Some == truth.Yes {
			break
		}
	}
	return out
}

// Without returns the lanes whose value does not satisfy a condition.
func Without[T any](lanes []Lane[T], is func(T) bool) []Lane[T] {
	n := 0
	for _, l := range lanes {
		if is(l.Value) {
			n++
		}
	}
	if n == 0 {
		return lanes
	}
	out := make([]Lane[T], 0, len(lanes)-n)
	for _, l := range lanes {
		if !is(l.Value) {
			out = append(out, l)
		}
	}
	return out
}
