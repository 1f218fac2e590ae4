package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// answer is the answer of a call that has a body and nothing else.
type answer[T any] struct{ Body T }

// page is the answer of a list. The names of the types made of it name the schemas of the OpenAPI document.
type page[T any] struct {
	Body struct {
		Items      []T    `json:"items"`
		NextCursor string `json:"nextCursor"`
	}
}

// pageOf returns a page of rows in the form in which callers see them.
func pageOf[R, T any](rows []R, next string, shown func(R) T) *page[T] {
	out := &page[T]{}
	out.Body.Items, out.Body.NextCursor = make([]T, len(rows)), next
	for i, r := range rows {
		out.Body.Items[i] = shown(r)
	}
	return out
}

// partInput asks for a part of a list that is read whole.
type partInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" doc:"The whole list when absent."`
	Cursor string `query:"cursor"`
}

// part returns at most limit rows from a cursor on, all for a limit of 0, and the cursor of the next ones. A cursor counts
// rows, so what is added or removed in the meantime moves the others.
func part[R any](rows []R, limit int, cursor string) ([]R, string, error) {
	from := 0
	if cursor != "" {
		var err error
		if from, err = strconv.Atoi(cursor); err != nil || from < 0 {
			return nil, "", posture.Invalid("query.cursor", "is not a cursor of this list; begin again without one", clip(cursor))
		}
	}
	rows = rows[min(from, len(rows)):]
	if limit == 0 || len(rows) <= limit {
		return rows, "", nil
	}
	return rows[:limit], strconv.Itoa(from + limit), nil
}

// partOf is pageOf for a part of all rows.
func partOf[R, T any](all []R, in *partInput, shown func(R) T) (*page[T], error) {
	rows, next, err := part(all, in.Limit, in.Cursor)
	return pageOf(rows, next, shown), err
}

// itself shows rows as they are.
func itself[T any](row T) T { return row }

// object is the answer of a call about one object; it has a location when the call made it.
type object[T any] struct {
	Status   int
	Location string `header:"Location"`
	Body     T
}

// idInput names an object by its id.
type idInput struct {
	ID string `path:"id"`
}

// idSubmitInput creates a job about an object.
type idSubmitInput struct {
	SubmitHeaders

	ID string `path:"id"`
}

// emptyOutput is the answer of a call that has nothing to tell.
type emptyOutput struct{ Status int }

// deleting is the handler that deletes the object with the id in the path. what and list are as for byID.
func deleting(what, list string, remove func(s store.Store, ctx context.Context, id string) error) func(*Server, context.Context,
	*idInput) (*emptyOutput, error) {
	return func(s *Server, ctx context.Context, in *idInput) (*emptyOutput, error) {
		id, err := parseID("path.id", in.ID)
		if err != nil {
			return nil, err
		}
		if err := remove(s.o.Store, ctx, id); err != nil {
			return nil, orMissing(err, what, id, list)
		}
		return &emptyOutput{Status: http.StatusNoContent}, nil
	}
}
