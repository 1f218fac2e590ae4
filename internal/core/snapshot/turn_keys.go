package snapshot

import "cmp"

// TURNKeys holds the keys that issue credentials for the TURN service.
const TURNKeys Key[[]MediaKey] = "account/turn_keys"

type turnKeyWire struct {
	ID      string `json:"uid"`
	Name    string `json:"name"`
	Created Time   `json:"created"`
}

// turnKeys lists the keys of the TURN service
// (developers.cloudflare.com/api/resources/calls/subresources/turn/methods/list/).
func turnKeys() Source {
	return list(TURNKeys, Source{
		Path: "/accounts/{account_id}/calls/turn_keys", Permission: "Account: Cloudflare Calls Read",
		Example: `[{"uid":"u1","name":"video","created":"2026-01-01T00:00:00Z","modified":"2026-01-01T00:00:00Z"}]`,
	}, func(w turnKeyWire) MediaKey {
		return MediaKey{ID: w.ID, Name: cmp.Or(w.Name, w.ID), Created: w.Created}
	})
}
