package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// issueChecks is the number of checks with findings in one account.
const issueChecks = 60

// FilledIssue returns the id of an issue of an account that FillIssues filled.
func FilledIssue(no int) string {
	id, _, _, _ := checkTexts(3)
	return issue.ID(accountNo(no), id)
}

// FillIssues saves one run for each of the given number of accounts, with the given number of FAIL or
// WARN findings in total, and returns the id of the last run. A service may be running on the store.
func FillIssues(b *testing.B, s store.Store, first, accounts, findings int) (id string) {
	b.Helper()
	l := &large{s: s, random: rand.New(rand.NewPCG(1, 2))}
	for no := range accounts {
		n := newJob(b)
		n.Queue = "of nobody"
		enqueue(b, s, n)
		row, err := s.Claim(b.Context(), n.ID, "bench", time.Now(), time.Hour)
		require.NoError(b, err)
		a := assessment(b, row.ID, 0)
		a.Account.ID, id = accountNo(first+no), a.ID
		for i := range findings / accounts {
			i = i/issueChecks*largeChecks + i%issueChecks
			f := l.finding(a.Account.ID, first+no, i)
			f.Result, f.Status, f.Words = []posture.Result{posture.Fail, posture.Warning}[i%2], posture.StatusOpen, checkWords(i%largeChecks)
			f.AttackPathIDs = []string{fmt.Sprint("path-", i%40), fmt.Sprint("path-", i%300)}
			a.Findings = append(a.Findings, f.Worded())
		}
		require.NoError(b, s.Save(b.Context(), saveOf(row, a)))
	}
	e := anException(b, posture.ExceptionMatch{Severities: []posture.Severity{posture.Low}}, 0)
	_, _, err := s.AddException(b.Context(), e, "", "")
	require.NoError(b, err)
	return id
}
