package client

import (
	"context"
	"errors"
	"net/url"

	"github.com/edgeposture/edgeposture/internal/core/audit"
)

// AuditLog is a page of the audit log, newest first, and its head.
type AuditLog struct {
	Items      []audit.Entry `json:"items"`
	NextCursor string        `json:"nextCursor"`
	Head       audit.Head    `json:"head"`
}

// Audit returns a page of the audit log. Filters are since, until, action, outcome, actor, verify,
// noted, limit, cursor.
func (c *Client) Audit(ctx context.Context, filter url.Values) (Answer[AuditLog], error) {
	return get[AuditLog](ctx, c, "/api/audit", filter)
}

// VerifyAudit reads the whole audit log and verifies its chain locally, without trusting the
// service. noted is a head recorded earlier, or the zero Head. It returns the head and the number
// of entries; the error is an *audit.BrokenError when the chain does not hold. It reads the log a
// second time before it says so, because old entries may have been cut off during the first read.
func (c *Client) VerifyAudit(ctx context.Context, noted audit.Head) (head audit.Head, entries int, err error) {
	for range 2 {
		head, entries, err = c.walkAudit(ctx, noted)
		if _, ok := errors.AsType[*audit.BrokenError](err); !ok {
			break
		}
	}
	return head, entries, err
}

// walkAudit reads the head first, so that entries appended meanwhile are skipped and entries
// missing at the end are noticed.
func (c *Client) walkAudit(ctx context.Context, noted audit.Head) (head audit.Head, entries int, err error) {
	first, err := c.Audit(ctx, url.Values{"limit": {"1"}})
	if err != nil {
		return head, 0, err
	}
	head = first.Value.Head
	walk := audit.From(head, noted)
	for filter := (url.Values{"limit": {"1000"}}); ; {
		page, err := c.Audit(ctx, filter)
		if err != nil {
			return head, entries, err
		}
		for _, e := range page.Value.Items {
			if e.Seq > head.Seq {
				continue
			}
			if err := walk.Add(e); err != nil {
				return head, entries, err
			}
			entries++
		}
		if page.Value.NextCursor == "" || len(page.Value.Items) == 0 {
			return head, entries, walk.End()
		}
		filter.Set("cursor", page.Value.NextCursor)
	}
}
