package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

const (
	usualPage = 10
	largePage = 200
)

// Page selects a part of a list.
type Page struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"how many at most, 1 to 200; 10 when absent, 5 attack paths"`
	Cursor string `json:"cursor,omitempty" jsonschema:"nextCursor of the answer before, for what comes next"`
}

func (p Page) limit() (int, error) {
	switch {
	case p.Limit == 0:
		return usualPage, nil
	case p.Limit < 0 || p.Limit > largePage:
		return 0, posture.Invalid("limit", fmt.Sprintf("limit is %d; use 1 to %d", p.Limit, largePage), p.Limit)
	default:
		return p.Limit, nil
	}
}

// listed asks the API for a page and returns it with a view of its items. If the page is too large
// for an answer it asks for a shorter one, so that the cursor is always the API's own.
func listed[T, V, L any](ctx context.Context, p Page, filter url.Values, member string, view func(T) V,
	ask func(context.Context, url.Values) (client.Answer[L], error)) (map[string]any, []V, error) {
	n, err := p.limit()
	if err != nil {
		return nil, nil, err
	}
	if p.Cursor != "" {
		filter.Set("cursor", p.Cursor)
	}
	asked := n
	for {
		filter.Set("limit", strconv.Itoa(n))
		a, err := ask(ctx, filter)
		if err != nil {
			return nil, nil, err
		}
		var body map[string]json.RawMessage
		var items []T
		if err := json.Unmarshal(a.Raw, &body); err != nil {
			return nil, nil, fmt.Errorf("read the page: %w", err)
		}
		if err := json.Unmarshal(body[member], &items); err != nil {
			return nil, nil, fmt.Errorf("read the %s of the page: %w", member, err)
		}
		views := each(items, view)
		fits, err := fitting(views, maxItems)
		if err != nil {
			return nil, nil, err
		}
		if fits == len(items) || n == 1 {
			out := map[string]any{}
			for name, value := range body {
				out[name] = value
			}
			out[member] = views
			if n < asked {
				out["note"] = fmt.Sprintf("%d fit into one answer; nextCursor gives the rest.", n)
			}
			return out, views, nil
		}
		n = max(1, fits)
	}
}

// paged returns a page of a list in memory. The list belongs to one assessment, so the cursor is
// the index of the first item and is only valid when the call names that assessment.
func paged[T any](p Page, named bool, all []T) (part []T, next string, err error) {
	n, err := p.limit()
	if err != nil {
		return nil, "", err
	}
	from := 0
	if p.Cursor != "" {
		from, err = strconv.Atoi(p.Cursor)
		if err != nil || from < 0 || from > len(all) {
			return nil, "", posture.Invalid("cursor", "cursor is not the nextCursor of an answer before", nil)
		}
		if !named {
			return nil, "", posture.Invalid("cursor", "a cursor belongs to the ids of the answer that gave it; send those with it", nil)
		}
	}
	if part, err = fitted(all[from:min(from+n, len(all))]); err != nil {
		return nil, "", err
	}
	if from+len(part) < len(all) {
		next = strconv.Itoa(from + len(part))
	}
	return part, next, nil
}

// chosen returns the id of the assessment that a call means: the named one, or the latest.
func chosen(ctx context.Context, c *client.Client, id, account string) (string, error) {
	if id != "" {
		return id, nil
	}
	all, err := recent(ctx, c, account, 1)
	if err != nil {
		return "", err
	}
	return all[0].ID, nil
}

// recent returns the n newest assessments of an account, or of all accounts. It fails when there are none.
func recent(ctx context.Context, c *client.Client, account string, n int) ([]posture.AssessmentSummary, error) {
	filter := url.Values{"limit": {strconv.Itoa(n)}}
	if account != "" {
		filter.Set("account", account)
	}
	list, err := c.Assessments(ctx, filter)
	if err != nil {
		return nil, err
	}
	if len(list.Value.Assessments) == 0 {
		return nil, posture.Problemf(posture.CodeNoAssessment, "There is no completed assessment yet; run assess first.")
	}
	return list.Value.Assessments, nil
}
