package relational

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

type viewRow struct {
	bun.BaseModel `bun:"table:saved_view"`

	ID        string `bun:"id,pk"`
	Page      string `bun:"page"`
	Name      string `bun:"name"`
	Query     string `bun:"query"`
	CreatedAt int64  `bun:"created_at"`
	MadeBy    string `bun:"made_by"`
}

func (r viewRow) view() store.View {
	return store.View{ID: r.ID, Name: r.Name, Page: r.Page, Query: r.Query, CreatedAt: instant(r.CreatedAt), MadeBy: r.MadeBy}
}

// AddView implements store.Views. The unique key decides when two callers add the same name at once:
// the loser's transaction is repeated and finds the winner's view.
func (s *Store) AddView(ctx context.Context, v store.View, most int) (store.View, error) {
	row := viewRow{ID: clean(v.ID), Page: clean(v.Page), Name: clean(v.Name), Query: clean(v.Query), CreatedAt: micros(v.CreatedAt),
		MadeBy: clean(v.MadeBy)}
	err := s.inTx(ctx, "keep a view", func(tx bun.Tx) error {
		var there viewRow
		err := orNotFound(tx.NewSelect().Model(&there).Where("page = ? AND name = ? AND made_by = ?", row.Page, row.Name, row.MadeBy).Scan(ctx))
		switch {
		case err == nil && there.Query != row.Query:
			return store.ErrNameTaken
		case err == nil:
			row = there
			return nil
		case !errors.Is(err, store.ErrNotFound):
			return err
		}
		n, err := tx.NewSelect().Model((*viewRow)(nil)).Where("made_by = ?", row.MadeBy).Count(ctx)
		if err != nil {
			return err
		}
		if n >= int64(most) {
			return store.ErrTooMany
		}
		return ran(tx.NewInsert().Model(&row).Exec(ctx))
	})
	return row.view(), err
}

// Views implements store.Views.
func (s *Store) Views(ctx context.Context) ([]store.View, error) {
	rows, err := readRows[viewRow](ctx, s, "list the views", orderedBy("page", "name", "made_by"))
	return mapped(rows, viewRow.view), err
}

// DeleteView implements store.Views.
func (s *Store) DeleteView(ctx context.Context, id string) error {
	return s.execute(ctx, "delete a view", store.ErrNotFound, "DELETE FROM saved_view WHERE id = ?", clean(id))
}
