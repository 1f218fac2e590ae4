package notify_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func readWebhook(t testing.TB, body []byte) map[string]any {
	t.Helper()
	var d map[string]any
	require.NoError(t, json.Unmarshal(body, &d))
	return d
}

func validWebhook(t testing.TB, body []byte) {
	t.Helper()
	require.LessOrEqual(t, len(body), 512<<10)
	d := readWebhook(t, body)
	require.Equal(t, "assessment.summary", d["event"])
	require.EqualValues(t, 1, d["schemaVersion"])
	for _, key := range []string{"assessmentId", "jobId", "account", "score", "coverage", "results", "open", "findings", "attackPaths",
		"changes", "link", "demo"} {
		require.Contains(t, d, key)
	}
	open := d["open"].(map[string]any)
	sum := 0.0
	for _, word := range []string{"critical", "high", "medium", "low", "informational"} {
		sum += open["bySeverity"].(map[string]any)[word].(float64)
	}
	require.InDelta(t, sum, open["total"], 0)
	results := d["results"].(map[string]any)
	require.InDelta(t, results["fail"].(float64)+results["warning"].(float64), sum+open["accepted"].(float64), 0)
	require.NotNil(t, d["findings"])
}

func TestWebhookSaysWhatItKnows(t *testing.T) {
	d := readWebhook(t, build(t, "webhook", examples(t)["full"]))
	require.Len(t, d["findings"], 5)
	first := d["findings"].([]any)[0].(map[string]any)
	require.Equal(t, "critical", first["severity"])
	require.Equal(t, "FAIL", first["result"])
	require.Len(t, first["id"], 32)
	changes := d["changes"].(map[string]any)
	require.EqualValues(t, 1, changes["resolved"])
	require.EqualValues(t, 2, changes["unknown"], "what cannot be read any more is not resolved")
	require.EqualValues(t, 9, changes["regressed"])
	require.EqualValues(t, 27, changes["new"])
	require.EqualValues(t, 9, changes["uncertain"])
	require.EqualValues(t, 2, d["attackPaths"].(map[string]any)["count"])
	require.EqualValues(t, 2, d["coverage"].(map[string]any)["missingPermissionCount"])
	require.Equal(t, examples(t)["full"].Link, d["link"])

	d = readWebhook(t, build(t, "webhook", examples(t)["first"]))
	require.Nil(t, d["changes"], "there is no earlier run")
	require.Nil(t, d["link"])
	require.Contains(t, d["notice"], "No real account was read")

	d = readWebhook(t, build(t, "webhook", examples(t)["clean"]))
	require.Equal(t, []any{}, d["findings"])
	require.Nil(t, d["score"].(map[string]any)["grade"])
}

func TestWebhookIsBoundedAtWorst(t *testing.T) {
	for _, fill := range []string{"x", "😀", "\x01", "\xff"} {
		body := build(t, "webhook", filled(t, strings.Repeat(fill, 20_000)))
		validWebhook(t, body)
		d := readWebhook(t, body)
		require.Len(t, d["findings"], 10)
		require.EqualValues(t, 40, d["coverage"].(map[string]any)["missingPermissionCount"])
	}
}
