package snapshot

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPreviewsThatAnswer tells deployments that were built from those that were not.
func TestPreviewsThatAnswer(t *testing.T) {
	s := SourceOf(PagesPreviews)
	part, err := s.reduce(json.RawMessage(`[{"id":"built","latest_stage":{"name":"deploy","status":"success"}},
		{"id":"skipped","is_skipped":true,"latest_stage":{"status":"success"}},{"id":"failed","latest_stage":{"name":"build","status":"failure"}},
		{"id":"untold"}]`))
	require.NoError(t, err)
	var all []PagesPreview
	require.NoError(t, json.Unmarshal(part, &all))
	require.Equal(t, []PagesPreview{{"built", true}, {"skipped", false}, {"failed", false}, {"untold", true}}, all)
	require.True(t, s.Enough(nil, SourceScope{}, []json.RawMessage{part}))
	require.False(t, s.Enough(nil, SourceScope{}, []json.RawMessage{json.RawMessage(`[{"id":"skipped","served":false}]`)}))
}

// TestStoresOfASite lists every kind of binding that leads to data.
func TestStoresOfASite(t *testing.T) {
	var w pagesConfigWire
	require.NoError(t, json.Unmarshal([]byte(`{"kv_namespaces":{"A":{"namespace_id":"1"}},"d1_databases":{"B":{"id":"2"}},
		"r2_buckets":{"C":{"name":"3"}},"durable_object_namespaces":{"D":{"namespace_id":"4"}},"hyperdrive_bindings":{"E":{"id":"5"}},
		"queue_producers":{"F":{"name":"6"}},"vectorize_bindings":{"G":{"index_name":"7"}}}`), &w))
	got := map[string]string{}
	for _, b := range reducePagesConfig(nil, w).Bindings {
		got[b.Type] = b.Name + b.Target
	}
	require.Equal(t, map[string]string{"kv_namespace": "A1", "d1": "B2", "r2_bucket": "C3", "durable_object_namespace": "D4",
		"hyperdrive": "E5", "queue": "F6", "vectorize": "G7"}, got)
}
