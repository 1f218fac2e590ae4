package exception_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func about(account string, checks, resources []string) posture.Exception {
	return posture.Exception{Account: account, Match: posture.ExceptionMatch{CheckIDs: checks, ResourceIDs: resources}}
}

func TestGroupIsAboutTheTargetsAndNothingElse(t *testing.T) {
	targets := []exception.Subject{{"a", "C1", "1"}, {"a", "C1", "2"}, {"a", "C2", "2"}, {"a", "C2", "1"}, {"a", "C3", "1"}, {"b", "C1", "1"},
		{"a", "C3", "1"}}
	got := exception.Group(targets)
	require.Equal(t, []posture.Exception{about("a", []string{"C1", "C2"}, []string{"1", "2"}), about("a", []string{"C3"}, []string{"1"}),
		about("b", []string{"C1"}, []string{"1"})}, got)
	named := map[exception.Subject]int{}
	for _, e := range got {
		for _, check := range e.Match.CheckIDs {
			for _, resource := range e.Match.ResourceIDs {
				named[exception.Subject{Account: e.Account, CheckID: check, ResourceID: resource}]++
			}
		}
	}
	want := map[exception.Subject]int{}
	for _, target := range targets {
		want[target] = 1
	}
	require.Equal(t, want, named)
	require.Empty(t, exception.Group(nil))
}

func TestGroupStaysWithinAMatch(t *testing.T) {
	var targets []exception.Subject
	for check := range 501 {
		targets = append(targets, exception.Subject{Account: "a", CheckID: fmt.Sprintf("C%03d", check), ResourceID: "r"})
	}
	for resource := range 2001 {
		targets = append(targets, exception.Subject{Account: "b", CheckID: "C", ResourceID: fmt.Sprintf("r%04d", resource)})
	}
	var sizes [][2]int
	for _, e := range exception.Group(targets) {
		sizes = append(sizes, [2]int{len(e.Match.CheckIDs), len(e.Match.ResourceIDs)})
	}
	require.Equal(t, [][2]int{{500, 1}, {1, 1}, {1, 1000}, {1, 1000}, {1, 1}}, sizes)
}

func TestNameable(t *testing.T) {
	for id, want := range map[string]bool{"r": true, "": false, " ": false, "r ": false, "a b": true} {
		require.Equal(t, want, exception.Subject{ResourceID: id}.Nameable(), "%q", id)
	}
}
