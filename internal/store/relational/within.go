package relational

import "slices"

const (
	// namedAtMost is how many accounts a query of a page names: with more, a database reads the names for longer than it would read rows
	// of others.
	namedAtMost = 200
	// passedAtMost is how many pages of rows are read to leave those of others out. After them the query names the accounts, however many.
	passedAtMost = 30
)

// within reads a page of so many rows of accounts, behind a place when it is paged; limit 0 is all, no account is every one. read gives
// the rows of the accounts it is told, of says whose a row is, and at its place.
func within[R any](s *Store, accounts []string, after sortKey, paged bool, limit int64, of func(*R) []string, at func(R) sortKey,
	read func(accounts []string, after sortKey, paged bool, limit int64) ([]R, error)) ([]R, error) {
	if len(accounts) <= namedAtMost || limit == 0 {
		return read(accounts, after, paged, limit)
	}
	in := setOf(cleanAll(accounts))
	ask := limit
	if share := s.share(in); share > 0 { // of so many rows about a page is ours
		ask = min(int64(float64(limit)/share*11/10), passedAtMost*limit)
	}
	var out []R
	for passed := int64(0); passed < passedAtMost*limit; passed += ask {
		rows, err := read(nil, after, paged, ask)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if slices.ContainsFunc(of(&rows[i]), func(account string) bool { return in[account] }) {
				out = append(out, rows[i])
			}
			if int64(len(out)) == limit {
				return out, nil
			}
		}
		if int64(len(rows)) < ask {
			return out, nil
		}
		after, paged = at(rows[len(rows)-1]), true
	}
	rows, err := read(accounts, after, paged, limit-int64(len(out)))
	return append(out, rows...), err
}

// share is which part of the registered accounts these are, by either id; 0 is none or not known.
func (s *Store) share(accounts map[string]bool) float64 {
	kept := s.accounts.Load()
	if kept == nil || len(kept.all) == 0 {
		return 0
	}
	n := 0
	for i := range kept.all {
		if accounts[kept.all[i].ID] || accounts[kept.all[i].ProviderID] {
			n++
		}
	}
	return float64(n) / float64(len(kept.all))
}

func setOf(values []string) map[string]bool {
	out := make(map[string]bool, len(values))
	for _, v := range values {
		out[v] = true
	}
	return out
}
