package snapshot_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestIDsOfItems: an id that no key of the database can hold made every attempt at a run fail; of two different items with one id,
// one was dropped.
func TestIDsOfItems(t *testing.T) {
	s := snapshot.SourceOf(snapshot.ZoneDNSRecords)
	for page, fine := range map[string]bool{
		`[{"id":"a","proxied":true},{"id":"b"}]`:                      true,
		`[{"id":"a","proxied":true},{"id":"a","proxied":true}]`:       true,
		`[{"id":"a","proxied":true},{"id":"a","proxied":false}]`:      false,
		`[{"id":"` + strings.Repeat("a", 1001) + `","proxied":true}]`: false,
	} {
		_, err := s.Decode(json.RawMessage(page))
		require.Equal(t, fine, err == nil, "%.60s: %v", page, err)
	}
	_, err := snapshot.SourceOf(snapshot.ZoneList).Decode(json.RawMessage(`[{"id":"z","name":"` + strings.Repeat("a", 254) + `"}]`))
	require.Error(t, err)
}

// TestBucketsOfOneName: of two buckets with one name in two jurisdictions, the second was dropped.
func TestBucketsOfOneName(t *testing.T) {
	section, err := snapshot.SourceOf(snapshot.R2Buckets).Decode(json.RawMessage(
		`{"buckets":[{"name":"data","jurisdiction":"eu"},{"name":"data","jurisdiction":"default"},{"name":"logs","jurisdiction":"eu"}]}`))
	require.NoError(t, err)
	require.JSONEq(t, `[{"name":"data","jurisdiction":"default"},{"id":"eu_data","name":"data","jurisdiction":"eu"},
		{"name":"logs","jurisdiction":"eu"}]`, string(section))
}
