package command

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestCutOfNothing(t *testing.T) {
	for severity, want := range map[posture.Severity]string{"": "no attack path was found\n",
		posture.Critical: "no critical attack path was found\n"} {
		var out bytes.Buffer
		tellCut(&out, attackpath.Cut{Severity: severity, Exact: true})
		require.Equal(t, want, out.String())
	}
}

// TestPlanNamesWhatItLeaves: a plan without changes says what is to do by hand, and why the rest is skipped.
func TestPlanNamesWhatItLeaves(t *testing.T) {
	at := posture.Resource{Name: "a.example"}
	plan := change.Plan{Manual: []change.Manual{{CheckID: "CFL-A-1", Resource: at, Fix: "Turn it on."}},
		Skipped: slices.Repeat([]change.Skipped{{CheckID: "CFL-B-1", Resource: at, Reason: "The risk is accepted."}}, mostListed+3)}
	var out bytes.Buffer
	printPlan(&out, plan)
	require.Contains(t, out.String(), "\nby hand CFL-A-1 a.example: Turn it on.\n")
	require.Equal(t, mostListed, strings.Count(out.String(), "\nskipped CFL-B-1 a.example: The risk is accepted."))
	require.Contains(t, out.String(), "\n3 more are skipped; --output json has all\n")
	const nothing = "no open finding that fits what was asked for"
	require.NotContains(t, out.String(), nothing)
	printPlan(&out, change.Plan{})
	require.Contains(t, out.String(), nothing)
}

// TestDriftSaysWhy: what is unknown, or may be older than it looks, is told with its reason.
func TestDriftSaysWhy(t *testing.T) {
	var out bytes.Buffer
	printDrift(&out, drift.Drift{Unknown: []drift.Difference{{CheckID: "CFL-A-1", Severity: posture.High, Message: "This could not be judged.",
		Resource: posture.Resource{Name: "a.example"}, Reason: "zone/list could not be read: denied."}}})
	require.Contains(t, out.String(), "unknown high CFL-A-1 a.example: This could not be judged. (zone/list could not be read: denied)\n")
}
