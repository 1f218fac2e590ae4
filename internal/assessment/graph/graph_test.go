package graph

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func TestHostOf(t *testing.T) {
	for in, want := range map[string]string{
		"tcp://192.0.2.1:22": "192.0.2.1", "192.0.2.1:22": "192.0.2.1", "192.0.2.1": "192.0.2.1", "tcp://[2001:db8::1]:22": "2001:db8::1",
		"2001:db8::1": "2001:db8::1", "[2001:db8::1]": "2001:db8::1", "db.internal:5432": "db.internal", "db.internal": "db.internal", "": "",
	} {
		require.Equal(t, want, hostOf(in), in)
	}
}

func TestRouteHost(t *testing.T) {
	for in, want := range map[string]string{
		"*.shop.example/api/*": "*.shop.example", "https://Shop.example/*": "shop.example", "shop.example": "shop.example",
		"shop.example./x": "shop.example", "/x": "", "": "",
	} {
		require.Equal(t, want, routeHost(in), in)
	}
}

func TestNodeIDs(t *testing.T) {
	for want, r := range map[string]posture.Resource{
		"zone:z": {Type: posture.ResourceZone, ID: "z", ZoneID: "z"}, "dns:z:r": {Type: posture.ResourceDNSRecord, ID: "r", ZoneID: "z"},
		"worker:a:w": {Type: posture.ResourceWorker, ID: "w"}, "worker:a:pages/p": {Type: posture.ResourcePagesProject, ID: "p"},
		"tunnel:t":     {Type: posture.ResourceTunnel, ID: "t"},
		"access_app:x": {Type: posture.ResourceAccessApp, ID: "x"}, "r2:a:b": {Type: posture.ResourceBucket, ID: "b"},
		"service:www.example": {Type: posture.ResourceLoadBalancer, ID: "l", Name: "WWW.example"},
		"zone:y":              {Type: posture.ResourceRule, ID: "r", ZoneID: "y"}, "account:a": {Type: posture.ResourceAccount, ID: "a"},
	} {
		require.Equal(t, want, NodeID("a", r))
	}
}

func TestPropertiesAreAnObject(t *testing.T) {
	p := Properties{{"paused", false}, {"plan", "free"}, {"port", 22.0}}
	raw, err := json.Marshal(p)
	require.NoError(t, err)
	require.JSONEq(t, `{"paused":false,"plan":"free","port":22}`, string(raw))
	var back Properties
	require.NoError(t, json.Unmarshal(raw, &back))
	require.Equal(t, p, back)
	require.Equal(t, "free", back.Get("plan"))
	require.Nil(t, back.Get("nothing"))
	require.Error(t, json.Unmarshal([]byte(`[]`), &back))
}

// FuzzHosts gives the parsers of addresses and patterns any text.
func FuzzHosts(f *testing.F) {
	for _, s := range []string{"tcp://[2001:db8::1]:22", "*.shop.example/api/*", "a:b:c", "[", "://", "%zz", "user@host:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		defer fuzztest.Bound(t)()
		if h := routeHost(s); strings.Contains(h, "/") {
			t.Fatalf("%q gives the host %q", s, h)
		}
		if h := hostOf(s); utf8.ValidString(s) && len(h) > len(s) && !strings.Contains(s, "%") {
			t.Fatalf("%q gives the longer host %q", s, h)
		}
	})
}

// TestColumnsOfNothing: without nodes their columns are null, as they always were.
func TestColumnsOfNothing(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteColumns(&b, Graph{}))
	require.Contains(t, b.String(), `"nodes":{"idShared":null,"idRest":null,"type":null,"label":null,"zone":null,"severity":null,`+
		`"findings":null,"unknown":null,"direct":[]},"edges":{"from":[],"to":[],"type":[]}`)
}
