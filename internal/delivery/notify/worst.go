package notify

import (
	"cmp"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// worst keeps the first rows of an order, however many are added and in whichever order.
type worst[T any] struct {
	limit   int
	compare func(a, b T) int
	rows    []T
}

func newWorst[T any](limit int, compare func(a, b T) int) *worst[T] {
	return &worst[T]{limit: limit, compare: compare, rows: make([]T, 0, limit+1)}
}

func (w *worst[T]) add(row T) {
	at, _ := slices.BinarySearchFunc(w.rows, row, w.compare)
	if at == w.limit {
		return
	}
	w.rows = slices.Insert(w.rows, at, row)
	w.rows = w.rows[:min(len(w.rows), w.limit)]
}

// compareFindings orders by severity, then FAIL before WARNING, then risk.
func compareFindings(a, b posture.Finding) int {
	return cmp.Or(bySeverity(a.Severity, b.Severity), cmp.Compare(a.Result, b.Result), cmp.Compare(b.Risk, a.Risk), cmp.Compare(a.ID, b.ID))
}

// comparePaths orders by severity, then shorter paths first.
func comparePaths(a, b posture.AttackPath) int {
	return cmp.Or(bySeverity(a.Severity, b.Severity), cmp.Compare(a.HopCount, b.HopCount), cmp.Compare(a.ID, b.ID))
}

func bySeverity(a, b posture.Severity) int {
	return cmp.Or(cmp.Compare(b.Rank(), a.Rank()), cmp.Compare(a, b))
}
