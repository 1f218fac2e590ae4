package store

import (
	"context"
	"time"
)

// View is a saved name for the filters, order and columns of a list, shared with everybody.
type View struct {
	ID        string    `json:"id"`
	Name      string    `json:"name" doc:"No two views of a page that one caller made have the same."`
	Page      string    `json:"page" enum:"findings,issues,paths"`
	Query     string    `json:"query" doc:"What the address of the page has behind its question mark."`
	CreatedAt time.Time `json:"createdAt"`
	MadeBy    string    `json:"madeBy,omitempty" doc:"Who saved it, as the audit log names them."`
}

// Views keeps the saved views.
type Views interface {
	// AddView inserts a view, unless its maker has most already. When they have one of this page and
	// name with the same query, that one is returned; with another query it is ErrNameTaken. ErrFull.
	AddView(ctx context.Context, v View, most int) (View, error)
	// Views lists all views by page, name and maker.
	Views(ctx context.Context) ([]View, error)
	// DeleteView removes a view. ErrNotFound.
	DeleteView(ctx context.Context, id string) error
}
