package snapshot

type zoneWire struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Status      string   `json:"status"`
	Paused      bool     `json:"paused"`
	Type        string   `json:"type"`
	NameServers []string `json:"name_servers"`
	CreatedOn   Time     `json:"created_on"`
	DevMode     int      `json:"development_mode"`
	Plan        struct {
		LegacyID string `json:"legacy_id"`
	} `json:"plan"`
	Meta struct {
		Phishing bool `json:"phishing_detected"`
	} `json:"meta"`
}

// zoneList reads all zones of the account with plan, status and type, so that
// no zone is ever asked for on its own
// (developers.cloudflare.com/api/resources/zones/methods/list/).
func zoneList() Source {
	return list(ZoneList, Source{
		Path: "/zones?account.id={account_id}", Paging: Paging{Kind: ByPage, Size: 50}, Permission: "Zone: Zone Read", Feeds: true,
		Example: `[{"id":"z1","name":"acme.example","status":"active","paused":false,"type":"full","verification_key":"drop",` +
			`"plan":{"legacy_id":"pro"},"name_servers":["a.ns.cloudflare.com"]}]`,
	}, func(w zoneWire) Zone {
		return Zone{ID: w.ID, Name: w.Name, Status: w.Status, Paused: w.Paused, Type: w.Type, Plan: w.Plan.LegacyID,
			NameServers: w.NameServers, CreatedOn: w.CreatedOn, DevMode: w.DevMode, Phishing: w.Meta.Phishing}
	})
}
