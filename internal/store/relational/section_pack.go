package relational

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const (
	// sectionsPacked and bytesPacked bound what one transaction packs. Both exceed the bounds of a
	// chunk.
	sectionsPacked = 1000
	bytesPacked    = 4 << 20
	// sectionChunksRead bounds the chunks that are in memory at once.
	sectionChunksRead = 8
)

type sectionPackRow struct {
	bun.BaseModel `bun:"table:section_pack"`

	JobID             string `bun:"job_id,pk"`
	ProviderAccountID string `bun:"provider_account_id"`
	Source            string `bun:"source"` // of the last section
	Scope             string `bun:"scope"`
	Pieces            []byte `bun:"pieces"`  // see encodeRun
	ReadAt            []byte `bun:"read_at"` // see encodeTimes
}

// sectionPack is the packed part of a job's sections: always the first ones.
type sectionPack struct {
	row  sectionPackRow
	list *run
	read []int64 // one per section
}

// packOf reads where the packed sections of a job are; nil when none are visible.
func packOf(ctx context.Context, db bun.IDB, jobID string) (*sectionPack, error) {
	p := &sectionPack{}
	err := db.NewSelect().Model(&p.row).Where("job_id = ?", jobID).Where(sectionsNotDeleted).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if p.list, err = decodeRun(p.row.Pieces); err != nil {
		return nil, err
	}
	p.read, err = decodeTimes(p.row.ReadAt, p.sections())
	return p, err
}

func (p *sectionPack) sections() int {
	if len(p.list.ends) == 0 {
		return 0
	}
	return p.list.ends[len(p.list.ends)-1]
}

// after reports whether sections after sec are packed.
func (p *sectionPack) after(sec *snapshot.Section) bool {
	return compareSections(&snapshot.Section{Source: p.row.Source, Scope: p.row.Scope}, sec) > 0
}

// some reads the sections of up to sectionChunksRead chunks.
func (p *sectionPack) some(ctx context.Context, db bun.IDB, from int) (out []snapshot.Section, err error) {
	nos := p.list.chunks[from:min(from+sectionChunksRead, len(p.list.chunks))]
	var pieces []pieceRow
	if err := db.NewSelect().Model(&pieces).Column("no", "value").Where("no IN (?)", bun.List(nos)).Scan(ctx); err != nil {
		return nil, err
	}
	at := 0
	if from > 0 {
		at = p.list.ends[from-1]
	}
	for i, no := range nos {
		k := slices.IndexFunc(pieces, func(r pieceRow) bool { return r.No == no })
		if k < 0 {
			return nil, errChunk
		}
		sections, err := decodeSections(pieces[k].Value)
		if err != nil || at+len(sections) != p.list.ends[from+i] {
			return nil, orElse(err, errChunk)
		}
		for n := range sections {
			sections[n].ReadAt = instant(p.read[at+n])
		}
		out, at = append(out, sections...), at+len(sections)
	}
	return out, nil
}

// Unpacked implements store.Retentions. It skips from job to job in the index of sections.
func (s *Store) Unpacked(ctx context.Context) ([]string, error) {
	return selected[[]string](ctx, s, "look for sections to pack", `WITH RECURSIVE read_by (job_id) AS (SELECT MIN(job_id) FROM section
		UNION ALL SELECT (SELECT MIN(job_id) FROM section WHERE job_id > read_by.job_id) FROM read_by WHERE read_by.job_id IS NOT NULL)
		SELECT job.id FROM read_by JOIN job ON job.id = read_by.job_id JOIN assessment AS a ON a.id = job.assessment_id
		WHERE job.state = 'succeeded' AND read_by.`+sectionsNotDeleted+` ORDER BY job.id`)
}

// Pack implements store.Retentions. It takes the first rows, up to the end of a chunk, so that the pack
// and the rows after it are complete after every transaction.
func (s *Store) Pack(ctx context.Context, jobID string) (more bool, err error) {
	err = s.inTx(ctx, "pack the sections of a job", func(tx bun.Tx) error {
		if err := s.holdJob(ctx, tx, clean(jobID)); err != nil {
			return err
		}
		// Read after taking the lock, which packing, dropping and forgetting all hold.
		var account string
		err := tx.NewRaw(`SELECT a.provider_account_id FROM job JOIN assessment AS a ON a.id = job.assessment_id
			WHERE job.id = ? AND job.state = 'succeeded' AND job.id NOT IN (SELECT job_id FROM section_forgetting)`, clean(jobID)).Scan(ctx,
			&account)
		if errors.Is(err, sql.ErrNoRows) {
			more = false
			return nil
		}
		if err == nil {
			more, err = s.pack(ctx, tx, clean(jobID), account)
		}
		return err
	})
	return more && err == nil, err
}

// holdJob locks the row of a job until the commit.
func (s *Store) holdJob(ctx context.Context, tx bun.Tx, jobID string) error {
	var ids []string
	return tx.NewRaw("SELECT id FROM job WHERE id = ?"+s.engine.Lock, jobID).Scan(ctx, &ids)
}

func (s *Store) pack(ctx context.Context, tx bun.Tx, jobID, account string) (more bool, err error) {
	p, err := packOf(ctx, tx, jobID)
	if err != nil {
		return false, err
	}
	if p == nil {
		p = &sectionPack{row: sectionPackRow{JobID: jobID, ProviderAccountID: account}, list: &run{}}
	}
	rows, more, err := sectionRows(ctx, tx, bytesPacked, func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("job_id = ?", jobID)
		if p.sections() > 0 {
			q = q.Where(sectionsAfter, p.row.Source, p.row.Scope)
		}
		return q.Limit(sectionsPacked)
	})
	if err != nil {
		return false, err
	}
	more = more || len(rows) == sectionsPacked
	if err := s.addPacked(ctx, tx, p, rows, more); err != nil {
		return false, err
	}
	// Rows within the packed range written by an attempt that had lost its job came too late, and are
	// deleted too.
	_, err = tx.NewRaw("DELETE FROM section WHERE job_id = ? AND (source, scope) <= (?, ?)", jobID, p.row.Source, p.row.Scope).Exec(ctx)
	return more, err
}

// addPacked appends the chunks of sections; when more sections follow, an unfinished last chunk is left
// out.
func (s *Store) addPacked(ctx context.Context, tx bun.Tx, p *sectionPack, sections []snapshot.Section, more bool) error {
	var chunks sectionChunks
	var pieces []*pieceRow
	put := func(chunk []snapshot.Section) {
		if len(chunk) == 0 {
			return
		}
		for i := range chunk {
			p.read = append(p.read, micros(chunk[i].ReadAt))
		}
		last := chunk[len(chunk)-1]
		p.row.Source, p.row.Scope = last.Source, last.Scope
		p.list.ends = append(p.list.ends, p.sections()+len(chunk))
		pieces = append(pieces, newSectionPiece(p.row.ProviderAccountID, chunk))
	}
	for _, sec := range sections {
		put(chunks.add(sec))
	}
	if !more {
		put(chunks.chunk)
	}
	if len(pieces) == 0 {
		return nil
	}
	if err := s.putPieces(ctx, tx, pieces); err != nil {
		return err
	}
	for _, piece := range pieces {
		p.list.chunks = append(p.list.chunks, piece.No)
	}
	p.row.Pieces, p.row.ReadAt = encodeRun(0, p.list.chunks, p.list.ends), encodeTimes(p.read)
	return ran(tx.NewInsert().Model(&p.row).On("CONFLICT (job_id) DO UPDATE").Set("source = EXCLUDED.source, scope = EXCLUDED.scope, pieces " +
		"= EXCLUDED.pieces, read_at = EXCLUDED.read_at").
		Returning("NULL").Exec(ctx))
}

// dropPacks deletes the packs of some jobs, and marks their account's pieces as possibly unused.
func dropPacks(ctx context.Context, tx bun.Tx, of string, arguments ...any) error {
	if _, err := tx.NewRaw("INSERT INTO piece_unused (provider_account_id) SELECT DISTINCT provider_account_id FROM section_pack WHERE "+of+
		" ON CONFLICT DO NOTHING", arguments...).Exec(ctx); err != nil {
		return err
	}
	return ran(tx.NewRaw("DELETE FROM section_pack WHERE "+of, arguments...).Exec(ctx))
}
