package relational

const (
	// namedAtMost is how many accounts a query of a page names: with more, a database reads the names for longer than it would read rows
	// of others.
	namedAtMost = 200
	// passedAtMost is how many pages of rows are read to leave those of others out. After them the query names the accounts, however many.
	passedAtMost = 30
)

// within reads a page of so many rows of accounts; limit 0 is all, no account is every one. read gives rows behind another one, all of
// which are of the accounts when it is told to name them.
func within[R any](s *Store, accounts []string, limit int64, of func(*R) []string,
	read func(named bool, behind *R, limit int64) ([]R, error)) ([]R, error) {
	if len(accounts) <= namedAtMost || limit == 0 {
		return read(true, nil, limit)
	}
	in := make(map[string]bool, len(accounts))
	for _, a := range cleanAll(accounts) {
		in[a] = true
	}
	var out []R
	var behind *R
	ask := limit
	if kept := s.accounts.Load(); kept != nil && len(kept.all) > len(accounts) { // of so many rows about a page is ours
		ask = limit * int64(len(kept.all)) / int64(len(accounts)) * 5 / 4
	}
	for passed := int64(0); passed < passedAtMost*limit; passed += ask {
		ask = max(limit, min(ask, passedAtMost*limit))
		rows, err := read(false, behind, ask)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			for _, account := range of(&rows[i]) {
				if in[account] {
					out = append(out, rows[i])
					break
				}
			}
			if int64(len(out)) == limit {
				return out, nil
			}
		}
		if int64(len(rows)) < ask {
			return out, nil
		}
		behind = &rows[len(rows)-1]
	}
	rows, err := read(true, behind, limit-int64(len(out)))
	return append(out, rows...), err
}
