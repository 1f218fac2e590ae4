package attackpath

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// stolenToken finds API tokens that work from any address and can take over every zone or create
// further credentials. Whoever finds a copy in a pipeline, on a laptop or in a log can enter the
// account. Checks decide what a token may do and from where.
func stolenToken() Kind {
	const wide, minting, unbound = "CFL-TOK-004", "CFL-TOK-010", "CFL-TOK-005"
	return Kind{Name: "stolen-token", Title: "API token that takes over the account",
		Finds:   "an API token that works from anywhere and writes across the account or makes further credentials",
		Related: []string{wide, unbound, minting},
		find: func(w *world) []candidate {
			account := graph.Account + ":" + w.snap.Account.ID
			var out []candidate
			for _, open := range w.failed(unbound) {
				token := *open.Resource
				rights := slices.DeleteFunc([]string{wide, minting}, func(id string) bool { return !w.fails(id, token) })
				var does string
				title := "API token that takes over the account: "
				switch {
				case slices.Contains(rights, minting):
					does = "creates credentials or members of its own, which stay when the token is revoked"
				case slices.Contains(rights, wide):
					// The check fails for taking over zones and for many other rights, so the rights are named.
					does = "writes with every right of the token: " + w.rights(token)
					title = "API token that writes across the account: "
				default:
					continue
				}
				out = append(out, candidate{title: title + token.Name, grave: true, gains: does,
					needs: []string{"they have a copy of the API token " + token.Name},
					refs:  []string{account, "token", token.ID}, nodes: []string{graph.InternetID, account}, steps: []string{graph.InternetTo},
					about: []resourceKey{keyOf(token)},
					explanation: "The API token " + token.Name + " works from any address. Whoever copies it from a pipeline, a laptop or a log " +
						does + ".",
					breaks: []posture.Break{{Change: "Bind the API token " + token.Name + " to the addresses of its user.", NodeID: account,
						CheckIDs: []string{unbound}},
						{Change: "Replace the API token " + token.Name + " by tokens for named zones and single tasks.", NodeID: account,
							CheckIDs: rights}}})
			}
			return out
		}}
}

// rights names what CFL-TOK-004 says that a token may write, and where.
func (w *world) rights(token posture.Resource) string {
	for i := range w.about(keyOf(token)) {
		if f := &w.findings[i]; f.CheckID == "CFL-TOK-004" && len(f.Evidence) > 0 {
			return f.Evidence[0].Observed
		}
	}
	return "on a whole account, or on every zone"
}
