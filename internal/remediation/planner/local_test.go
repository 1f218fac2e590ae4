//go:build localmodel

package planner

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// TestLocalModel asks a real server with a model of random weights, which
// scripts/local-model starts. Its answers are nonsense: what counts is that the
// server takes the question, that what it says is used or refused for a reason,
// and that the plan is unharmed.
func TestLocalModel(t *testing.T) {
	host, model := os.Getenv("TEST_MODEL_HOST"), os.Getenv("TEST_MODEL")
	require.NotEmpty(t, host, "run it with scripts/local-model")
	client, err := NewClient(outbound.Options{}, host, true)
	require.NoError(t, err)
	defer client.Close()
	used := 0
	for _, n := range []int{1, 2, 3, 4, 6, 8, 12, 16, MaxItems + 30} {
		items := many(n)
		p := New(Options{Provider: local, Model: model, Host: host, Doer: client})
		began := time.Now()
		a := p.Advise(t.Context(), items)
		t.Logf("%d items, %d bytes, %s: used %t, %d notes, first %s, note %q", n, len(p.Preview(items)),
			time.Since(began).Round(time.Millisecond), a.Used, len(a.Notes), a.Order[0], a.Note)
		holds(t, items, a)
		for id, note := range a.Notes {
			t.Logf("  %s: %s", id, note)
			inert(t, note)
		}
		if a.Used {
			used++
			continue
		}
		// The model reads one token for each character, so the largest plan takes it longer than there is time.
		require.Regexp(t, "another form|before its answer was whole|no item of the plan|did not answer in time", a.Note,
			"the server took the question")
	}
	require.Positive(t, used, "the form of the answer is one the server can keep to")
}

// TestLocalModelErrors are the real server's own.
func TestLocalModelErrors(t *testing.T) {
	host := os.Getenv("TEST_MODEL_HOST")
	require.NotEmpty(t, host, "run it with scripts/local-model")
	client, err := NewClient(outbound.Options{}, host, true)
	require.NoError(t, err)
	defer client.Close()
	for name, o := range map[string]Options{
		"answered 404":           {Model: "nope"},
		"did not answer in time": {Model: os.Getenv("TEST_MODEL"), Timeout: time.Millisecond},
		"no such server":         {Model: "x", Host: host + "/elsewhere"},
	} {
		o.Provider, o.Doer = local, client
		if o.Host == "" {
			o.Host = host
		}
		a := New(o).Advise(t.Context(), sample())
		t.Log(a.Note)
		holds(t, sample(), a)
		require.Contains(t, a.Note, name)
	}
	saved, err := NewClient(outbound.Options{}, host, false)
	require.NoError(t, err)
	defer saved.Close()
	a := New(Options{Provider: local, Host: host, Doer: saved}).Advise(t.Context(), sample())
	holds(t, sample(), a)
	require.Contains(t, a.Note, "SERVICE_OUTBOUND_ALLOW", "a saved host is not let in to this machine")
}
