package relational

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Save implements store.Assessments. The fenced update of the job comes first: a zombie worker is
// refused before it writes a row, and the lock on the job row keeps others from claiming it until the
// commit. All large rows are built before the transaction, so that the writer is held only while
// writing.
func (s *Store) Save(ctx context.Context, in store.SaveAssessment) error {
	var pack packer
	large, err := newGraphRow(in, &pack)
	if err != nil {
		return err
	}
	in.Graph, in.Paths = nil, nil // for a large account they take more memory than everything below
	run, err := writeRun(&in)
	if err != nil {
		return err
	}
	row, err := newAssessmentRow(in, run, &pack)
	if err != nil {
		return err
	}
	evidence, err := newEvidenceRow(in, row, large, run.digest, &pack)
	if err != nil {
		return err
	}
	point, err := newPointRow(in)
	if err != nil {
		return err
	}
	shared := share(row.ProviderAccountID, &row.Catalogue, &row.Counts, &large.Graph, &large.Paths, &large.Modifications, &evidence.Record)
	pieces := slices.Concat(run.pieces, shared.pieces)
	return s.inTx(ctx, "save an assessment", func(tx bun.Tx) error {
		if err := fenced(ctx, tx, "state = 'succeeded', assessment_id = ?, problem = '', finished_at = ?, "+unheld, in.JobID, in.Attempt,
			row.ID, micros(in.Now)); err != nil {
			return err
		}
		if err := s.putPieces(ctx, tx, pieces); err != nil {
			return err
		}
		shared.refer()
		// Insert without a preset number: a repeated transaction needs a new one.
		row.No, row.Pieces = 0, run.places()
		if _, err := tx.NewInsert().Model(&row).Returning("no").Exec(ctx); err != nil {
			return err
		}
		large.AssessmentNo, evidence.AssessmentNo, point.AssessmentNo = row.No, row.No, row.No
		for _, part := range []any{&large, &evidence, &point} {
			if _, err := tx.NewInsert().Model(part).Exec(ctx); err != nil {
				return err
			}
		}
		changed, err := s.putStates(ctx, tx, row.No, in)
		if err != nil {
			return err
		}
		if err := s.settleIssues(ctx, tx, &in, changed); err != nil {
			return err
		}
		return s.follow(ctx, tx, in.Then)
	})
}

func newAssessmentRow(in store.SaveAssessment, run *runWriter, pack *packer) (row assessmentRow, err error) {
	a := in.Assessment
	row = assessmentRow{ID: clean(a.ID), JobID: clean(a.JobID), AccountID: clean(in.AccountID),
		ProviderAccountID: clean(a.Account.ID), Status: string(a.Status), CompletedAt: micros(a.CompletedAt)}
	for _, part := range []struct {
		into *[]byte
		of   any
	}{{&row.Summary, exact(a.AssessmentSummary)}, {&row.Checks, a.Checks}, {&row.Catalogue, run.catalogue.catalogue},
		{&row.Counts, run.counts.tallies()}} {
		if *part.into, err = pack.packJSON(part.of); err != nil {
			return row, err
		}
	}
	return row, nil
}

// exact rounds the instants of a summary to the stored precision.
func exact(a posture.AssessmentSummary) posture.AssessmentSummary {
	keep := func(t time.Time) time.Time { return instant(micros(t)) }
	a.StartedAt, a.CompletedAt = keep(a.StartedAt), keep(a.CompletedAt)
	if a.TokenInfo.ExpiresOn != nil {
		t := keep(*a.TokenInfo.ExpiresOn)
		a.TokenInfo.ExpiresOn = &t
	}
	return a
}

// Assessment implements store.Assessments.
func (s *Store) Assessment(ctx context.Context, id string) (posture.Assessment, error) {
	return s.assessment(ctx, ofID(id))
}

// LatestAssessment implements store.Assessments.
func (s *Store) LatestAssessment(ctx context.Context, account string) (posture.Assessment, error) {
	return s.assessment(ctx, newestOf(account))
}

// LatestSummaries implements store.Assessments.
func (s *Store) LatestSummaries(ctx context.Context, accounts []string) (map[string]posture.AssessmentSummary, error) {
	rows, err := selected[[]assessmentRow](ctx, s, "read the newest assessments of accounts",
		`SELECT x.id AS account_id, a.summary FROM account AS x JOIN assessment AS a ON a.no = (SELECT no FROM assessment
			WHERE account_id = x.id AND `+notDeleted+` ORDER BY completed_at DESC, id DESC LIMIT 1) WHERE x.id IN (?)`,
		bun.List(cleanAll(accounts)))
	if err != nil {
		return nil, err
	}
	out := make(map[string]posture.AssessmentSummary, len(rows))
	for _, r := range rows {
		var a posture.AssessmentSummary
		if err := unpackJSON(r.Summary, &a); err != nil {
			return nil, err
		}
		out[r.AccountID] = a
	}
	return out, nil
}

// Pick implements store.Assessments.
func (s *Store) Pick(ctx context.Context, id, account string) (store.AssessmentRef, error) {
	one := ofID(id)
	if id == "" {
		one = newestOf(account)
	}
	row, err := s.one(ctx, one, "id", "completed_at", "provider_account_id")
	return store.AssessmentRef{ID: row.ID, Account: row.ProviderAccountID, CompletedAt: instant(row.CompletedAt)}, err
}

func ofID(id string) choice {
	return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("id = ?", clean(id)) }
}

func newestOf(account string) choice {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		return ofAccount(q, account).OrderExpr("completed_at DESC, id DESC").Limit(1)
	}
}

func (s *Store) one(ctx context.Context, choose choice, columns ...string) (row assessmentRow, err error) {
	err = s.read(ctx, "read an assessment", func(db bun.IDB) error {
		return orNotFound(choose(db.NewSelect().Model(&row).Column(columns...).Where(notDeleted)).Scan(ctx))
	})
	return row, err
}

func (s *Store) assessment(ctx context.Context, choose choice) (posture.Assessment, error) {
	row, err := s.one(ctx, choose, "summary", "checks")
	if err != nil {
		return posture.Assessment{}, err
	}
	var a posture.Assessment
	if err := unpackJSON(row.Summary, &a.AssessmentSummary); err != nil {
		return posture.Assessment{}, err
	}
	if err := unpackJSON(row.Checks, &a.Checks); err != nil {
		return posture.Assessment{}, err
	}
	return a, nil
}

// ofAccount narrows to an account, given by Cloudflare's id or ours; "" means all.
func ofAccount(q *bun.SelectQuery, account string) *bun.SelectQuery {
	if account == "" {
		return q
	}
	return q.Where("(provider_account_id = ? OR account_id = ?)", clean(account), clean(account))
}

// newestOfEach reads the accounts out of an index, and looks the newest of each up in it.
const newestOfEach = `no IN (SELECT (SELECT no FROM assessment WHERE provider_account_id = each.provider_account_id AND ` + notDeleted + `
	ORDER BY completed_at DESC, id DESC LIMIT 1) FROM (SELECT DISTINCT provider_account_id FROM assessment) AS each)`

// Assessments implements store.Assessments. A limit of 0 means no limit.
func (s *Store) Assessments(ctx context.Context, f store.AssessmentFilter, p store.Page) ([]posture.AssessmentSummary, string, error) {
	after, paged, err := decodeCursor(listAssessments, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	of := func(r *assessmentRow) []string { return []string{r.ProviderAccountID, r.AccountID} }
	at := func(r assessmentRow) sortKey { return sortKey{at: r.CompletedAt, id: r.ID} }
	rows, err := within(s, f.Accounts, after, paged, ask(p.Limit), of, at,
		func(accounts []string, after sortKey, paged bool, limit int64) ([]assessmentRow, error) {
			f.Accounts = accounts
			return s.assessmentPage(ctx, f, after, paged, limit)
		})
	if err != nil {
		return nil, "", err
	}
	rows, next := cut(listAssessments, rows, p.Limit, at)
	out := make([]posture.AssessmentSummary, len(rows))
	for i, r := range rows {
		if err := unpackJSON(r.Summary, &out[i]); err != nil {
			return nil, "", err
		}
	}
	return out, next, nil
}

// assessmentPage reads up to limit rows after a sort key.
func (s *Store) assessmentPage(ctx context.Context, f store.AssessmentFilter, after sortKey, paged bool,
	limit int64) ([]assessmentRow, error) {
	return readRows[assessmentRow](ctx, s, "list assessments", func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Column("id", "provider_account_id", "account_id", "completed_at", "summary").Where(notDeleted)
		if q = ofAccount(q, f.Account); len(f.Accounts) > 0 {
			ids := bun.List(cleanAll(f.Accounts))
			q = q.Where("(provider_account_id IN (?) OR account_id IN (?))", ids, ids)
		}
		if f.Newest {
			q = q.Where(newestOfEach)
		}
		q = among(q, "status", f.Status)
		if !f.Since.IsZero() {
			q = q.Where("completed_at >= ?", micros(f.Since))
		}
		if !f.Until.IsZero() {
			q = q.Where("completed_at < ?", micros(f.Until))
		}
		return newest(q, "completed_at", after, paged, limit)
	})
}
