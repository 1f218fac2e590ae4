package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/credential"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// maxViews bounds the views of one caller on all pages, because a menu shows them.
const maxViews = 200

type listViewsOutput page[store.View]

func listViews(s *Server, ctx context.Context, in *partInput) (*listViewsOutput, error) {
	all, err := s.o.Store.Views(ctx)
	if err != nil {
		return nil, err
	}
	out, err := partOf(all, in, itself)
	return (*listViewsOutput)(out), err
}

type postViewInput struct {
	OnceHeader
	Body struct {
		Name  string `json:"name" minLength:"1" maxLength:"60" doc:"No two views of a page that one caller made have the same."`
		Page  string `json:"page" enum:"findings,issues,paths"`
		Query string `json:"query" maxLength:"2000" doc:"What follows the question mark of the page. Everybody with access reads it: no secrets."`
	}
}

// postView stores a view. The same name with the same query returns the existing view, so a call
// can be repeated.
func postView(s *Server, ctx context.Context, in *postViewInput) (*object[store.View], error) {
	v := store.View{ID: s.o.NewID(), Name: strings.TrimSpace(in.Body.Name), Page: in.Body.Page, Query: in.Body.Query, CreatedAt: s.now(),
		MadeBy: callOf(ctx).entry.Actor}
	if err := checkView(v); err != nil {
		return nil, err
	}
	v, err := s.o.Store.AddView(ctx, v, maxViews)
	switch {
	case errors.Is(err, store.ErrNameTaken):
		return nil, posture.Problemf(posture.CodeConflict, "You have a view %q of this page with other filters; choose another name, or delete "+
			"that view first.", clip(v.Name))
	case errors.Is(err, store.ErrTooMany):
		return nil, posture.Problemf(posture.CodeConflict, "You have made %d views, which is the most one may; delete one that nobody needs.",
			maxViews)
	case err != nil:
		return nil, fmt.Errorf("keep the view: %w", err)
	}
	about(ctx, "views", v.ID)
	return &object[store.View]{Status: http.StatusCreated, Location: "/api/views/" + v.ID, Body: v}, nil
}

func checkView(v store.View) error {
	if err := shown("body.name", v.Name); err != nil {
		return err
	}
	values, err := url.ParseQuery(v.Query)
	if err != nil || strings.ContainsFunc(v.Query, odd) {
		return posture.Invalid("body.query", "the query is not one an address may have; send what stands behind the question mark", clip(v.Query))
	}
	secrets := credential.New()
	texts := []string{v.Name, v.Query}
	for name, all := range values {
		texts = append(append(texts, name), all...)
	}
	for _, text := range texts {
		if kind := secrets.Kind(text); kind != "" {
			return posture.Invalid("body",
				fmt.Sprintf("the view holds what looks like a secret (%s), which everybody could read; take it out", kind), nil)
		}
	}
	return nil
}
