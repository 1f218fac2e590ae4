package cloudflare

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// retiring answers the list of settings with a status and a body, and each single setting, refused when it says so.
type retiring struct {
	status        int
	body, refuses string
	lists, single int
	paths         []string
}

func (r *retiring) RoundTrip(req *http.Request) (*http.Response, error) {
	status, body := 200, `{"success":true,"result":{"id":"ssl","value":"strict"}}`
	if strings.HasSuffix(req.URL.Path, "/settings") {
		r.lists++
		status, body = r.status, r.body
	} else {
		r.single++
		if r.paths = append(r.paths, req.URL.Path); r.refuses != "" {
			status, body = 403, r.refuses
		}
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

// TestTheListOfSettingsEnds holds the switch to the clock: from 2027-03-31 on, nobody asks for the list, and a token that
// may read no setting is told so.
func TestTheListOfSettingsEnds(t *testing.T) {
	end := time.Date(2027, 3, 31, 0, 0, 0, 0, time.UTC)
	const listed, denied = `{"success":true,"result":[]}`, `{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}`
	for _, tc := range []struct {
		name    string
		now     time.Time
		refuses string
		lists   int
		status  snapshot.Status
	}{
		{"a second before", end.Add(-time.Second), "", 1, snapshot.OK},
		{"that day", end, "", 0, snapshot.OK},
		{"without the permission", end.AddDate(1, 0, 0), denied, 0, snapshot.Denied},
	} {
		provider := &retiring{status: 200, body: listed, refuses: tc.refuses}
		client, err := New(Options{BaseURL: "https://provider.example", Token: secret.New("token"), Gate: open{}, Transport: provider,
			Now: func() time.Time { return tc.now }})
		require.NoError(t, err)
		source := snapshot.SourceOf(snapshot.ZoneSettings)
		sec, err := client.Read(t.Context(), source, snapshot.SourceScope{Zone: snapshot.Zone{ID: "z1"}}, knows(), nil)
		require.NoError(t, err)
		require.Equal(t, tc.status, sec.Status, "%s: %s", tc.name, sec.Reason)
		require.Equal(t, tc.lists, provider.lists, tc.name)
		require.Equal(t, tc.status == snapshot.Denied, sec.Permission == source.Permission, tc.name)
	}
}

// TestSingleSettings asks for those of the plan alone, and marks the others.
func TestSingleSettings(t *testing.T) {
	source := snapshot.SourceOf(snapshot.ZoneSettings)
	source.Singly = []snapshot.SingleRead{{ID: "ssl", Path: "/zones/{zone_id}/settings/ssl"},
		{ID: "http2", Path: "/zones/{zone_id}/settings/http2", Plans: []string{"pro"}},
		{ID: "0rtt", Path: "/zones/{zone_id}/settings/0rtt", Spare: true}}
	for _, tc := range []struct {
		status int
		body   string
		plan   string
		asked  []string
	}{
		{404, "", "free", []string{"ssl"}}, {404, "", "pro", []string{"ssl", "http2", "0rtt"}}, {404, "", "business", []string{"ssl", "0rtt"}},
		{400, `{"success":false,"errors":[{"code":1,"message":"not now"}]}`, "free", []string{"ssl", "0rtt"}},
	} {
		provider := &retiring{status: tc.status, body: tc.body}
		client, err := New(Options{BaseURL: "https://provider.example", Token: secret.New("token"), Gate: open{}, Transport: provider})
		require.NoError(t, err)
		sec, err := client.Read(t.Context(), source, snapshot.SourceScope{Zone: snapshot.Zone{ID: "z1", Plan: tc.plan}}, knows(), nil)
		require.NoError(t, err)
		require.Equal(t, snapshot.OK, sec.Status, sec.Reason)
		var asked []string
		for _, path := range provider.paths {
			asked = append(asked, path[strings.LastIndex(path, "/")+1:])
		}
		require.Equal(t, tc.asked, asked)
		require.Equal(t, 3-len(asked), strings.Count(string(sec.Value), `"left_out":true`), string(sec.Value))
	}
}
