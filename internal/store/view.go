package store

import (
	"context"
	"errors"
	"time"
)

// ErrFull tells that there are as many as there may be.
var ErrFull = errors.New("there are as many as there may be")

// View is a name for the filters, order and columns of a list, for everybody.
type View struct {
	ID        string    `json:"id"`
	Name      string    `json:"name" doc:"No two views of a page that one caller made have the same."`
	Page      string    `json:"page" enum:"findings,issues"`
	Query     string    `json:"query" doc:"What the address of the page has behind its question mark."`
	CreatedAt time.Time `json:"createdAt"`
	MadeBy    string    `json:"madeBy,omitempty" doc:"Who saved it, as the audit log names them."`
}

// Views keeps views.
type Views interface {
	// AddView inserts one, unless who made it has so many. When they have one of this page and name with the same query, that one
	// is given; with another query it is ErrNameTaken. ErrFull.
	AddView(ctx context.Context, v View, most int) (View, error)
	// Views lists all, by page, name and maker.
	Views(ctx context.Context) ([]View, error)
	// DeleteView removes one. ErrNotFound.
	DeleteView(ctx context.Context, id string) error
}
