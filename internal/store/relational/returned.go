package relational

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// ReturnedIssues implements store.Alerts. One pass over the open findings answers for all exceptions.
func (s *Store) ReturnedIssues(ctx context.Context, from, until time.Time) (out []string, err error) {
	err = s.read(ctx, "look for exceptions that expired", func(db bun.IDB) error {
		out = nil
		var expired []exceptionRow
		err := db.NewSelect().Model(&expired).Where("(revoked_at = 0 OR revoked_at >= expires_at) AND expires_at >= ? AND expires_at < ?",
			micros(from), micros(until)).Scan(ctx)
		if err != nil || len(expired) == 0 {
			return err
		}
		before := from.Add(-time.Microsecond) // all of them were active then
		all, err := decoded(expired, func(r exceptionRow) (posture.Exception, error) {
			r.RevokedAt = 0
			return r.exception(before)
		})
		if err != nil {
			return err
		}
		names, err := registeredOf(ctx, db)
		if err != nil {
			return err
		}
		l, none, err := s.latest(ctx, db, store.LatestFilter{Statuses: openStatuses(), FindingFilter: store.FindingFilter{Checks: checksOf(all)}})
		if err != nil || none {
			return err
		}
		// What could not be read and never failed is no part of an issue.
		l.where("(opened OR result IN ('FAIL', 'WARNING')) AND first_seen < ? AND excepted_until < ?", micros(until), micros(until))
		sets, ids := map[string]exception.Set{}, map[string]bool{}
		err = s.eachState(ctx, db, l, func(rows []stateRow) error {
			for i := range rows {
				r := &rows[i]
				account := r.ProviderAccountID
				if _, have := sets[account]; !have {
					sets[account] = exception.For(all, before, append(names[account], account)...)
				}
				// It is the one that ended last, so others decide nothing else.
				if e := sets[account].Of(r.subject()); e != nil && r.FirstSeen < micros(*e.ExpiresAt) && r.ExceptedUntil <= micros(*e.ExpiresAt) {
					ids[issue.ID(account, r.CheckID)] = true
				}
			}
			return nil
		})
		out = slices.Sorted(maps.Keys(ids))
		return err
	})
	return out, err
}

// checksOf returns the checks that the exceptions name; none when one of them names none, and so may match those of any.
func checksOf(all []posture.Exception) (out []string) {
	for _, e := range all {
		if len(e.Match.CheckIDs) == 0 {
			return nil
		}
		out = append(out, e.Match.CheckIDs...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
