package relational

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/store"
)

type ticketRow struct {
	bun.BaseModel `bun:"table:ticket"`

	IssueID           string `bun:"issue_id,pk"`
	Kind              string `bun:"kind,pk"`
	ProviderAccountID string `bun:"provider_account_id"`
	CheckID           string `bun:"check_id"`
	Place             string `bun:"place"`
	Actor             string `bun:"actor"`
	TicketKey         string `bun:"ticket_key"`
	URL               string `bun:"url"`
	State             string `bun:"state"`
	Told              string `bun:"told"`
	Problem           string `bun:"problem"`
	CreatedAt         int64  `bun:"created_at"`
	SyncedAt          int64  `bun:"synced_at"`
	SentAt            int64  `bun:"sent_at"`
	Notes             int    `bun:"notes"`
	NoteAt            int64  `bun:"note_at"`
	Acted             int    `bun:"acted"`
	Closed            bool   `bun:"closed"`
	Gone              bool   `bun:"gone"`
	Turn              int64  `bun:"turn"`
	Until             int64  `bun:"until"`
}

func newTicketRow(t store.TicketRow) ticketRow {
	row := ticketRow{IssueID: clean(t.IssueID), Kind: clean(t.Kind), ProviderAccountID: clean(t.AccountID), CheckID: clean(t.CheckID),
		Place: clean(t.Place), Actor: clean(t.Actor), TicketKey: clean(t.Key), URL: clean(t.URL), State: string(t.State), Told: string(t.Told),
		Problem: clean(t.Problem), CreatedAt: micros(t.CreatedAt), SentAt: micros(t.SentAt), Notes: t.Notes, NoteAt: micros(t.NoteAt),
		Acted: t.Acted, Closed: t.Closed, Gone: t.Gone, Turn: t.Turn}
	if t.LastSyncedAt != nil {
		row.SyncedAt = micros(*t.LastSyncedAt)
	}
	return row
}

func (r ticketRow) ticket() store.TicketRow {
	return store.TicketRow{Ticket: issue.Ticket{Kind: r.Kind, Key: r.TicketKey, URL: r.URL, State: issue.TicketState(r.State),
		CreatedAt: instant(r.CreatedAt), LastSyncedAt: instantPtr(r.SyncedAt), Problem: r.Problem},
		IssueID: r.IssueID, AccountID: r.ProviderAccountID, CheckID: r.CheckID,
		Place: r.Place, Actor: r.Actor, SentAt: instant(r.SentAt), Told: issue.State(r.Told), Notes: r.Notes, NoteAt: instant(r.NoteAt),
		Acted: r.Acted, Closed: r.Closed, Gone: r.Gone, Turn: r.Turn}
}

// Tickets implements store.Tickets.
func (s *Store) Tickets(ctx context.Context, issueIDs, accounts []string) ([]store.TicketRow, error) {
	rows, err := readRows[ticketRow](ctx, s, "read tickets", func(q *bun.SelectQuery) *bun.SelectQuery {
		return among(among(q, "issue_id", issueIDs), "provider_account_id", accounts).Order("issue_id", "kind")
	})
	return mapped(rows, ticketRow.ticket), err
}

// AddTicket implements store.Tickets.
func (s *Store) AddTicket(ctx context.Context, w store.IssueWork, t store.TicketRow) (store.TicketRow, error) {
	w.Revision = 0
	work, row := newIssueWorkRow(w), newTicketRow(t)
	var there ticketRow
	err := s.inTx(ctx, "keep a ticket", func(tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(&work).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
		added, err := affected(tx.NewInsert().Model(&row).On("CONFLICT DO NOTHING").Exec(ctx))
		if err != nil {
			return err
		}
		if added > 0 && row.TicketKey != "" {
			if err := noteTicket(ctx, tx, &row, t.CreatedAt); err != nil {
				return err
			}
		}
		return tx.NewSelect().Model(&there).Where("issue_id = ? AND kind = ?", row.IssueID, row.Kind).Scan(ctx)
	})
	return there.ticket(), err
}

func noteTicket(ctx context.Context, tx bun.Tx, r *ticketRow, at time.Time) error {
	_, err := noteIssueChange(ctx, tx, []issueEventRow{newIssueEventRow(r.IssueID,
		store.IssueEvent{At: at, Actor: r.Actor, Kind: store.IssueTicket, To: r.TicketKey})})
	return err
}

// TakeTicket implements store.Tickets.
func (s *Store) TakeTicket(ctx context.Context, issueID, kind string, now, until time.Time) (store.TicketRow, error) {
	var row ticketRow
	err := s.inTx(ctx, "take a ticket", func(tx bun.Tx) error {
		n, err := affected(tx.NewRaw("UPDATE ticket SET turn = turn + 1, until = ? WHERE issue_id = ? AND kind = ? AND until <= ?",
			micros(until), clean(issueID), clean(kind), micros(now)).Exec(ctx))
		if err != nil {
			return err
		}
		err = orNotFound(tx.NewSelect().Model(&row).Where("issue_id = ? AND kind = ?", clean(issueID), clean(kind)).Scan(ctx))
		if err == nil && n == 0 {
			return store.ErrNotClaimable
		}
		return err
	})
	return row.ticket(), err
}

// KeepTicket implements store.Tickets.
func (s *Store) KeepTicket(ctx context.Context, t store.TicketRow, now time.Time, back bool) error {
	row := newTicketRow(t)
	return s.inTx(ctx, "keep how a ticket is", func(tx bun.Tx) error {
		var there ticketRow
		if err := orNotFound(tx.NewRaw("SELECT * FROM ticket WHERE issue_id = ? AND kind = ?"+s.engine.Lock, row.IssueID, row.Kind).Scan(ctx,
			&there)); err != nil {
			return err
		}
		if there.Turn != row.Turn {
			return store.ErrFenced
		}
		row.Until, row.Actor, row.CreatedAt = there.Until, there.Actor, there.CreatedAt
		row.ProviderAccountID, row.CheckID = there.ProviderAccountID, there.CheckID
		if back {
			row.Until = 0
		}
		if _, err := tx.NewUpdate().Model(&row).WherePK().Exec(ctx); err != nil {
			return err
		}
		if row.TicketKey == there.TicketKey || row.TicketKey == "" {
			return nil
		}
		return noteTicket(ctx, tx, &row, now)
	})
}
