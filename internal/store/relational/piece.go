package relational

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

// pieceRow is a part of one or more runs of an account; the migration documents it.
type pieceRow struct {
	bun.BaseModel `bun:"table:piece"`

	No                int64  `bun:"no,pk,autoincrement"`
	ProviderAccountID string `bun:"provider_account_id"`
	Hash              []byte `bun:"hash"`
	Facts             []byte `bun:"facts"`
	Texts             []byte `bun:"texts"`
	Value             []byte `bun:"value"`
}

// hashBytes is how many bytes of the SHA-256 identify a piece.
const hashBytes = 16

// newPiece makes the piece of some findings; now is when their run saw them.
func newPiece(account string, rows []findingRow, faces []string, c *catalogue, now int64) *pieceRow {
	p := &pieceRow{ProviderAccountID: account}
	facts, bodies, texts := encodeFacts(rows, faces, c), encodeBodies(rows, now), encodeTexts(rows)
	p.Hash = pieceHash(facts, bodies, texts)
	p.Facts, p.Value, p.Texts = seal(facts), squeezed(bodies), squeezed(texts)
	return p
}

// pieceHash is the identity of a piece, from its parts: three for findings, two for sections (the first
// is empty), one for a value.
func pieceHash(parts ...[]byte) []byte {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		_, _ = h.Write(part)
	}
	return h.Sum(nil)[:hashBytes]
}

// piecesAtOnce bounds the pieces that one statement looks up, and newPieces those that one inserts,
// whose statement text is twice as long as the pieces.
const (
	piecesAtOnce = 500
	newPieces    = 20
)

// putPieces gives pieces of one account their numbers, reusing those of equal content. Until the
// commit, nothing sweeps pieces.
func (s *Store) putPieces(ctx context.Context, tx bun.Tx, pieces []*pieceRow) error {
	var changes int64
	if err := tx.NewRaw("SELECT changes FROM exception_guard"+s.engine.Share).Scan(ctx, &changes); err != nil {
		return err
	}
	known := make(map[string]int64, len(pieces))
	for part := range slices.Chunk(pieces, piecesAtOnce) {
		if err := knownPieces(ctx, tx, part, known); err != nil {
			return err
		}
		var fresh []*pieceRow
		for _, p := range part {
			if _, there := known[string(p.Hash)]; !there {
				known[string(p.Hash)] = 0
				p.No = 0
				fresh = append(fresh, p)
			}
		}
		for some := range slices.Chunk(fresh, newPieces) {
			if _, err := tx.NewInsert().Model(&some).Returning("NULL").Exec(ctx); err != nil {
				return err
			}
			if err := knownPieces(ctx, tx, some, known); err != nil {
				return err
			}
		}
	}
	for _, p := range pieces {
		p.No = known[string(p.Hash)]
	}
	return nil
}

// knownPieces looks pieces up by their hashes.
func knownPieces(ctx context.Context, tx bun.Tx, pieces []*pieceRow, into map[string]int64) error {
	hashes := make([][]byte, len(pieces))
	for i, p := range pieces {
		hashes[i] = p.Hash
	}
	var there []pieceRow
	if err := tx.NewSelect().Model(&there).Column("no", "hash").Where("provider_account_id = ? AND hash IN (?)", pieces[0].ProviderAccountID,
		bun.List(hashes)).
		Scan(ctx); err != nil {
		return err
	}
	for _, p := range there {
		into[string(p.Hash)] = p.No
	}
	return nil
}

// sweepPieces deletes pieces that no run of an account refers to any more, for accounts of which a run,
// or what it read, was forgotten. It and the saving of a run exclude each other: the run may have found
// a piece that is about to be deleted.
func sweepPieces(ctx context.Context, tx bun.Tx) (n int, err error) {
	var accounts []string
	if err := tx.NewRaw("SELECT provider_account_id FROM piece_unused ORDER BY provider_account_id LIMIT 1").Scan(ctx,
		&accounts); err != nil || len(accounts) == 0 {
		return 0, err
	}
	if _, err := tx.NewRaw("UPDATE exception_guard SET changes = changes + 1").Exec(ctx); err != nil {
		return 0, err
	}
	used, err := usedPieces(ctx, tx, accounts[0])
	if err != nil {
		return 0, err
	}
	var nos, gone []int64
	if err := tx.NewRaw("SELECT no FROM piece WHERE provider_account_id = ?", accounts[0]).Scan(ctx, &nos); err != nil {
		return 0, err
	}
	for _, no := range nos {
		if !used[no] && len(gone) < store.ForgetRows-1 {
			gone = append(gone, no)
		}
	}
	if len(gone) > 0 {
		if n, err = affected(tx.NewRaw("DELETE FROM piece WHERE no IN (?)", bun.List(gone)).Exec(ctx)); err != nil {
			return 0, err
		}
	}
	if len(gone) < store.ForgetRows-1 {
		if _, err := tx.NewRaw("DELETE FROM piece_unused WHERE provider_account_id = ?", accounts[0]).Exec(ctx); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// usedPieces gives the pieces that runs of an account refer to, including runs that are being
// forgotten.
func usedPieces(ctx context.Context, tx bun.Tx, account string) (map[int64]bool, error) {
	used, err := sharedPieces(ctx, tx, account)
	if err != nil {
		return nil, err
	}
	var lists [][]byte
	if err := tx.NewRaw(`SELECT pieces FROM assessment WHERE provider_account_id = ? AND pieces IS NOT NULL
		UNION ALL SELECT pieces FROM section_pack WHERE provider_account_id = ?`, account, account).Scan(ctx, &lists); err != nil {
		return nil, err
	}
	for _, b := range lists {
		r, err := decodeRun(b)
		if err != nil {
			return nil, err
		}
		for _, no := range r.chunks {
			used[no] = true
		}
	}
	return used, nil
}
