package cloudflare

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// retiring answers the list of settings with a status and a body, and each single setting.
type retiring struct {
	status        int
	body          string
	lists, single int
}

func (r *retiring) RoundTrip(req *http.Request) (*http.Response, error) {
	status, body := 200, `{"success":true,"result":{"id":"ssl","value":"strict"}}`
	if strings.HasSuffix(req.URL.Path, "/settings") {
		r.lists++
		status, body = r.status, r.body
	} else {
		r.single++
	}
	return &http.Response{StatusCode: status, ContentLength: -1, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// TestARetiredListIsReadSingly tries every form of a list that is gone, and those that say nothing of the kind.
func TestARetiredListIsReadSingly(t *testing.T) {
	const coded, html = `{"success":false,"errors":[{"code":7000,"message":"No route for that URI"}]}`, `<html>gone</html>`
	for _, tc := range []struct {
		status int
		body   string
		singly bool
	}{
		{404, coded, true}, {404, html, true}, {404, ``, true}, {410, coded, true}, {410, html, true}, {410, `{}`, true},
		{403, `{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}`, false}, {403, html, false}, {401, html, false},
	} {
		provider := &retiring{status: tc.status, body: tc.body}
		client, err := New(Options{BaseURL: "https://provider.example", Token: secret.New("token"), Gate: open{}, Transport: provider})
		require.NoError(t, err)
		for _, zone := range []string{"z1", "z2", "z3"} {
			sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.ZoneSettings),
				snapshot.SourceScope{AccountID: "a", Zone: snapshot.Zone{ID: zone}}, knows(), nil)
			require.NoError(t, err)
			require.Equal(t, tc.singly, sec.Status == snapshot.OK, "%d %s: %s", tc.status, tc.body, sec.Reason)
		}
		if tc.singly {
			require.Equal(t, 1, provider.lists, "the next zones do not ask for the list again")
			require.NotZero(t, provider.single)
		} else {
			require.Zero(t, provider.single)
		}
	}
}
