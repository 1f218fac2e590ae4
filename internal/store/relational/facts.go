package relational

import (
	"encoding/binary"
	"slices"
)

// facts holds what findings of a chunk are counted and filtered by.
type facts struct {
	faces   []string // see faceNames
	zones   []zoneRef
	results []string
	rows    []fact
}

// fact is one finding, as indexes into the lists of its chunk.
type fact struct {
	face, zone, result int
	status             int8 // as in facetRow
	accepted           bool
	key                int32
}

// encodeFacts writes the facts of findings, not yet sealed.
func encodeFacts(rows []findingRow, faces []string, c *catalogue) []byte {
	w := chunkWriter{}
	usedFaces := distinctOf(rows, func(r *findingRow) int { return r.CheckNo })
	usedZones := distinctOf(rows, func(r *findingRow) int { return r.ZoneNo })
	results := distinctOf(rows, func(r *findingRow) string { return r.Result })
	w.number(len(usedFaces))
	for _, no := range usedFaces {
		w.text(faces[no])
	}
	w.number(len(usedZones))
	for _, no := range usedZones {
		w.text(c.Zones[no].ID)
		w.text(c.Zones[no].Name)
	}
	w.number(len(results))
	for _, r := range results {
		w.text(r)
	}
	w.number(len(rows))
	for i := range rows {
		r := &rows[i]
		w.number(slices.Index(usedFaces, r.CheckNo))
		w.number(slices.Index(usedZones, r.ZoneNo))
		w.number(slices.Index(results, r.Result))
		state := 2 * (slices.Index(statuses(), r.body.status) + 1)
		if r.body.accepted {
			state++
		}
		w.number(state)
		w.b = binary.BigEndian.AppendUint32(w.b, uint32(r.ResourceKey))
	}
	return w.b
}

// distinctOf gives the distinct values of rows in order of first appearance.
func distinctOf[V comparable](rows []findingRow, of func(*findingRow) V) (used []V) {
	for i := range rows {
		if v := of(&rows[i]); !slices.Contains(used, v) {
			used = append(used, v)
		}
	}
	return used
}

// decodeFacts reads sealed facts.
func decodeFacts(stored []byte) (*facts, error) {
	content, err := unseal(stored)
	if err != nil {
		return nil, err
	}
	r := chunkReader{rest: string(content)}
	f := &facts{}
	for range r.count() {
		f.faces = append(f.faces, r.text())
	}
	for range r.count() {
		f.zones = append(f.zones, zoneRef{ID: r.text(), Name: r.text()})
	}
	for range r.count() {
		f.results = append(f.results, r.text())
	}
	n := r.count()
	f.rows = make([]fact, 0, n)
	for range n {
		x := fact{face: r.number(), zone: r.number(), result: r.number()}
		state := r.number()
		x.status, x.accepted, x.key = int8(state/2)-1, state%2 == 1, r.key()
		r.bad = r.bad || x.face >= len(f.faces) || x.zone >= len(f.zones) || x.result >= len(f.results) || state/2 > len(statuses())
		f.rows = append(f.rows, x)
	}
	if r.bad || r.rest != "" {
		return nil, errChunk
	}
	return f, nil
}

// lists maps the face and zone lists of a chunk to the numbers of the run.
func (r *run) lists(f *facts) (faces, zones []int, err error) {
	for _, name := range f.faces {
		no, known := r.faces[name]
		if !known {
			return nil, nil, errChunk
		}
		faces = append(faces, no)
	}
	for _, z := range f.zones {
		no, known := r.zones[z]
		if !known {
			return nil, nil, errChunk
		}
		zones = append(zones, no)
	}
	return faces, zones, nil
}
