package relational

import (
	"bytes"
	"context"
)

// texts holds what a search in an assessment looks at, all in one block of memory. Scanning it takes a
// few milliseconds for 50,000 findings; reading the rows takes many times that.
type texts struct {
	ends []uint32 // where the text at each position ends
	all  []byte
}

// size is the approximate memory use of the texts in bytes.
func (t *texts) size() int { return len(t.all) + len(t.ends)*4 }

// find gives the positions of the texts that contain part, in order. A match never spans two texts.
func (t texts) find(part string) []int {
	var out []int
	needle := []byte(part)
	for from, seq := 0, 0; ; {
		i := bytes.Index(t.all[from:], needle)
		if i < 0 {
			return out
		}
		at := from + i
		for int(t.ends[seq]) <= at {
			seq++
		}
		if at+len(needle) <= int(t.ends[seq]) {
			out, from = append(out, seq), int(t.ends[seq])
		} else {
			from = at + 1
		}
	}
}

// textsOf gives the texts of an assessment.
func (s *Store) textsOf(ctx context.Context, a openAssessment) (*texts, error) {
	if t, ok := s.texts.get(a.no); ok {
		return t, nil
	}
	t := &texts{}
	add := func(search string) {
		t.all = append(t.all, wordsOf(search)...)
		t.ends = append(t.ends, uint32(len(t.all)))
	}
	var err error
	if a.run != nil {
		err = s.eachChunk(ctx, a.run, []string{"texts"}, func(p *pieceRow, _, n int) error {
			searched, err := decodeTexts(p.Texts, n)
			for _, search := range searched {
				add(search)
			}
			return err
		})
	} else {
		err = s.eachOldRow(ctx, a.no, func(rows []findingRow) error {
			for i := range rows {
				add(rows[i].Search)
			}
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	s.texts.put(a.no, t)
	return t, nil
}

// textsKept bounds the cached texts, in bytes: nine assessments of 50,000 findings. A page and its
// counts search the same texts, and so does every letter typed into a search box.
const textsKept = 64 << 20
