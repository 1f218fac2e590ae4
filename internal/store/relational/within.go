package relational

import "slices"

const (
	// namedAtMost is how many accounts a page query names: with more, a database takes longer to read
	// the names than to read other accounts' rows.
	namedAtMost = 200
	// passedAtMost is how many pages of rows are read while skipping other accounts' rows. After that
	// the query names the accounts, however many.
	passedAtMost = 30
)

// within reads a page of up to limit rows of accounts, after a sort key when paged; a limit of 0 means
// no limit, no accounts means all. read reads rows of the accounts it is given, of gives the account
// ids of a row, and at its sort key.
func within[R any](s *Store, accounts []string, after sortKey, paged bool, limit int64, of func(*R) []string, at func(R) sortKey,
	read func(accounts []string, after sortKey, paged bool, limit int64) ([]R, error)) ([]R, error) {
	if len(accounts) <= namedAtMost || limit == 0 {
		return read(accounts, after, paged, limit)
	}
	in := setOf(cleanAll(accounts))
	ask := limit
	if share := s.share(in); share > 0 { // about limit of this many rows are ours
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

// share is the fraction of the registered accounts that these are, by either id; 0 when none or not
// known.
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
