package snapshot

// StreamKeys holds the keys that sign video URLs.
const StreamKeys Key[[]MediaKey] = "account/stream_keys"

// MediaKey is a key of a media product; the secret part is never kept.
type MediaKey struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Created Time   `json:"created,omitzero"`
}

// SortKey orders keys by id.
func (k MediaKey) SortKey() string { return k.ID }

type streamKeyWire struct {
	ID      string `json:"id"`
	KeyID   string `json:"key_id"`
	Created Time   `json:"created"`
}

// streamKeys lists the keys that sign video URLs; without videos they grant nothing
// (developers.cloudflare.com/api/resources/stream/subresources/keys/methods/get/).
func streamKeys() Source {
	return list(StreamKeys, Source{
		Path: "/accounts/{account_id}/stream/keys", Permission: permissionStream, After: []string{StreamVideos.Source()},
		Skip:    without(StreamVideos, "Stream is not in use", "the account has no video"),
		Example: `[{"id":"g1","created":"2026-01-01T00:00:00Z"}]`,
	}, func(w streamKeyWire) MediaKey {
		if w.ID == "" {
			w.ID = w.KeyID
		}
		return MediaKey{ID: w.ID, Created: w.Created}
	})
}
