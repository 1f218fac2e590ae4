package relational

import (
	"context"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// matching gives the positions of the findings that pass a filter, in order, and their number per
// result.
func (s *Store) matching(ctx context.Context, a openAssessment,
	f store.FindingFilter) (seqs []int, counts map[posture.Result]int, err error) {
	of, err := s.facetRowsOf(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	among, every, err := s.left(ctx, a, of, f)
	if err != nil {
		return nil, nil, err
	}
	fits := a.catalogue.sieve(f)
	counts = map[posture.Result]int{}
	look := func(seq int) {
		if c := of.all[seq]; c.result >= 0 && fits(c) {
			seqs = append(seqs, seq)
			counts[posture.Results()[c.result]]++
		}
	}
	if every {
		for seq := range of.all {
			look(seq)
		}
	}
	for _, seq := range among {
		look(seq)
	}
	return seqs, counts, nil
}

// left gives the positions that pass the text and resource filters, in order; every is true when the
// filter has neither.
func (s *Store) left(ctx context.Context, a openAssessment, of *facetRows, f store.FindingFilter) (seqs []int, every bool, err error) {
	if f.Text == "" && len(f.Resources) == 0 {
		return nil, true, nil
	}
	wanted := make([]bool, len(of.all))
	if f.Text == "" {
		for seq := range wanted {
			wanted[seq] = true
		}
	} else {
		t, err := s.textsOf(ctx, a)
		if err != nil {
			return nil, false, err
		}
		part := clean(strings.ToLower(f.Text))
		named := a.catalogue.named(part)
		for seq, c := range of.all {
			wanted[seq] = named[c.check]
		}
		for _, seq := range t.find(part) {
			wanted[seq] = true
		}
	}
	if len(f.Resources) == 0 {
		for seq, is := range wanted {
			if is {
				seqs = append(seqs, seq)
			}
		}
		return seqs, false, nil
	}
	seqs, err = s.ofResources(ctx, a, of, wanted, cleanAll(f.Resources))
	return seqs, false, err
}

// ofResources narrows the wanted positions to those of the given resources. The hashed keys leave only
// a few, whose ids are then read and compared.
func (s *Store) ofResources(ctx context.Context, a openAssessment, of *facetRows, wanted []bool, ids []string) (seqs []int, err error) {
	keys := make(map[int32]bool, len(ids))
	for _, id := range ids {
		keys[resourceKey(id)] = true
	}
	var spots []spot
	for seq, c := range of.all {
		if wanted[seq] && keys[c.resource] {
			spots = append(spots, spot{a.no, seq})
		}
	}
	rows, err := s.rowsAt(ctx, map[int64]openAssessment{a.no: a}, spots)
	for _, p := range spots {
		if row, there := rows[p]; there && slices.Contains(ids, row.ResourceID) {
			seqs = append(seqs, p.Seq)
		}
	}
	return seqs, err
}

// upTo gives the positions from up to end, at most limit of them; 0 means no limit.
func upTo(from, end, limit int) []int {
	if limit > 0 {
		end = min(end, from+limit)
	}
	var out []int
	for ; from < end; from++ {
		out = append(out, from)
	}
	return out
}

// following gives the positions after a cursor, at most limit of them; 0 means no limit.
func following(seqs []int, after sortKey, paged bool, limit int) []int {
	if paged {
		from, _ := slices.BinarySearch(seqs, int(after.at)+1)
		seqs = seqs[from:]
	}
	if limit > 0 {
		seqs = seqs[:min(limit, len(seqs))]
	}
	return seqs
}

// pageOf reads the findings at the positions that choose gives, which is asked for one more than the
// page holds.
func (s *Store) pageOf(ctx context.Context, a openAssessment, order store.FindingOrder, limit int,
	choose func(limit int) []int) ([]posture.Finding, string, error) {
	seqs := choose(int(ask(limit)))
	spots := make([]spot, len(seqs))
	for i, seq := range seqs {
		spots[i] = spot{a.no, seq}
	}
	rows, err := s.rowsAt(ctx, map[int64]openAssessment{a.no: a}, spots)
	if err != nil {
		return nil, "", err
	}
	if err := s.stillThere(ctx, a.no); err != nil {
		return nil, "", err
	}
	spots, next := cut(listFindings, spots, limit, func(p spot) sortKey { return sortKey{at: int64(p.Seq), id: string(order)} })
	out := make([]posture.Finding, 0, len(spots))
	for _, p := range spots {
		row, there := rows[p]
		if !there {
			return nil, "", errChunk
		}
		finding, err := row.finding(a.catalogue)
		if err != nil {
			return nil, "", err
		}
		out = append(out, finding)
	}
	return out, next, nil
}
