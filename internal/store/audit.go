package store

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/audit"
)

// AuditFilter narrows Audit; the values of one field combine with OR, the fields
// with AND. Since is inclusive, Until exclusive.
type AuditFilter struct {
	Since, Until time.Time
	Actions      []string
	Outcomes     []audit.Ending
	Actors       []string
	Job          string
}

// Audits keeps the audit log. Entries are never changed; only CutAudit removes any.
type Audits interface {
	// AppendAudit appends an entry and returns it with its number and hashes. It is durable on disk
	// when AppendAudit returns. Concurrent callers, in any number of processes, get consecutive
	// numbers.
	AppendAudit(ctx context.Context, e audit.Entry) (audit.Entry, error)
	// Audit lists entries, newest first.
	Audit(ctx context.Context, f AuditFilter, p Page) (rows []audit.Entry, next string, err error)
	// AuditHead returns the newest entry's number and hash; 0 and "" when there is none.
	AuditHead(ctx context.Context) (audit.Head, error)
	// CutAudit removes the oldest entries, as long as they are from before an instant, and appends a
	// checkpoint that vouches for them, in one transaction. Nothing is written when there is nothing to
	// remove. It returns how many were removed.
	CutAudit(ctx context.Context, before time.Time, checkpoint audit.Entry) (int, error)
}

// pageOfAudit is how many entries VerifyAudit holds at once.
const pageOfAudit = 1000

// VerifyAudit checks the whole chain. The error is an *audit.BrokenError when the chain is broken.
// anchor is a head noted before, or the zero Head. A check that fails is repeated once, because the
// chain may have been cut meanwhile.
func VerifyAudit(ctx context.Context, s Audits, anchor audit.Head) (audit.Head, error) {
	for tries := 0; ; tries++ {
		head, err := s.AuditHead(ctx)
		if err != nil {
			return head, fmt.Errorf("read the head of the audit log: %w", err)
		}
		broken := verifyOnce(ctx, s, head, anchor)
		if broken == nil || tries > 0 {
			return head, broken
		}
	}
}

func verifyOnce(ctx context.Context, s Audits, head, anchor audit.Head) error {
	walk := audit.From(head, anchor)
	for e, err := range auditUpTo(ctx, s, head.Seq) {
		if err != nil {
			return err
		}
		if err := walk.Add(e); err != nil {
			return err
		}
	}
	return walk.End()
}

// auditUpTo yields the entries from a number downwards, without those appended since.
func auditUpTo(ctx context.Context, s Audits, seq int64) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		page := Page{Limit: pageOfAudit}
		for {
			rows, next, err := s.Audit(ctx, AuditFilter{}, page)
			if err != nil {
				yield(audit.Entry{}, fmt.Errorf("read a page of the audit log: %w", err))
				return
			}
			for _, e := range rows {
				if e.Seq <= seq && !yield(e, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			page.Cursor = next
		}
	}
}
