package record

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnswersAreHeldCompressed: what is recorded takes no more memory than its compressed form, as a recording
// of 1,000 zones keeps some 23,000 answers until it is written.
func TestAnswersAreHeldCompressed(t *testing.T) {
	page := append(append([]byte(`{"result":"`), bytes.Repeat([]byte("a"), 1<<20)...), `"}`...)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(page) }))
	t.Cleanup(server.Close)
	r := NewRecorder(http.DefaultTransport, "")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/zones", nil)
	require.NoError(t, err)
	resp, err := r.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Len(t, r.answers, 1)
	for _, a := range r.answers {
		body, err := a.unpacked()
		require.NoError(t, err)
		require.Equal(t, page, body)
		require.Less(t, cap(a.body), len(page)/10)
	}
}
