package snapshot

import "encoding/json"

const (
	// ZoneHostnameMinTLS holds the minimum TLS version of individual hostnames.
	ZoneHostnameMinTLS Key[[]HostnameTLS] = "zone/hostname_min_tls"
	// ZoneHostnameCiphers holds the ciphers of individual hostnames.
	ZoneHostnameCiphers Key[[]HostnameTLS] = "zone/hostname_ciphers"
)

// HostnameTLS is a setting of one hostname: one version, or a list of ciphers.
type HostnameTLS struct {
	Hostname string   `json:"hostname"`
	Values   []string `json:"values"`
}

// SortKey orders settings by hostname.
func (h HostnameTLS) SortKey() string { return h.Hostname }

type hostnameTLSWire struct {
	Hostname string          `json:"hostname"`
	Value    json.RawMessage `json:"value"`
}

func reduceHostnameTLS(w hostnameTLSWire) HostnameTLS {
	out := HostnameTLS{Hostname: ASCII(w.Hostname), Values: []string{}}
	var one string
	switch {
	case decodeInto(w.Value, &one, "value") != nil:
		if decodeInto(w.Value, &out.Values, "value") != nil {
			out.Values = []string{}
		}
	case one != "":
		out.Values = []string{one}
	}
	return out
}

// zoneHostnameMinTLS and zoneHostnameCiphers list the settings of individual hostnames, which
// require Advanced Certificate Manager or the Enterprise plan
// (developers.cloudflare.com/api/resources/hostnames/subresources/settings/subresources/tls/methods/get/).
func zoneHostnameMinTLS() Source {
	return hostnameTLS(ZoneHostnameMinTLS, "min_tls_version", true, `[{"hostname":"old.acme.example","value":"1.1","status":"active"}]`)
}

func zoneHostnameCiphers() Source {
	return hostnameTLS(ZoneHostnameCiphers, "ciphers", false, `[{"hostname":"old.acme.example","value":["AES128-SHA"],"status":"active"}]`)
}

func hostnameTLS(key Key[[]HostnameTLS], setting string, feeds bool, example string) Source {
	return list(key, Source{
		Path: "/zones/{zone_id}/hostnames/settings/" + setting, Permission: permissionCertificates, Feeds: feeds,
		After: []string{ZoneCertificatePacks.Source()}, Skip: noCertificateManager, Example: example,
	}, reduceHostnameTLS)
}

func noCertificateManager(k *Known, t SourceScope) string {
	packs, ok := Cached(k, ZoneCertificatePacks, t.Zone.ID)
	if !ok || t.Zone.MayHave("enterprise") {
		return ""
	}
	for _, p := range packs {
		if p.Type == "advanced" || p.Type == "total_tls" {
			return ""
		}
	}
	return "the zone has no certificate manager"
}
