package snapshot

import (
	"maps"
	"slices"
)

const (
	// ImageVariants holds the forms in which images are served.
	ImageVariants Key[[]ImageVariant] = "account/image_variants"
	// StreamVideos holds the newest videos.
	StreamVideos Key[[]StreamVideo] = "account/stream_videos"
	// StreamKeys holds the keys that sign addresses of videos.
	StreamKeys Key[[]MediaKey] = "account/stream_keys"
	// TURNKeys holds the keys that give out credentials for the TURN service.
	TURNKeys Key[[]MediaKey] = "account/turn_keys"
)

// ImageVariant is a form in which images are served. Unsigned says that it is served without a signature, whatever the image
// demands; Metadata what stays of that of the camera.
type ImageVariant struct {
	ID       string `json:"id"`
	Unsigned bool   `json:"never_require_signed_urls"`
	Metadata string `json:"metadata,omitempty"`
	Width    int    `json:"width,omitempty"`
	Height   int    `json:"height,omitempty"`
}

// SortKey orders variants by name.
func (v ImageVariant) SortKey() string { return v.ID }

// StreamVideo is a video. Signed says that its address needs a signature, Origins how many sites may show it, Live that it
// was recorded from a live input.
type StreamVideo struct {
	ID      string `json:"uid"`
	Signed  *bool  `json:"require_signed_urls,omitempty"`
	Origins int    `json:"allowed_origins"`
	Live    bool   `json:"live,omitempty"`
}

// SortKey orders videos by id.
func (v StreamVideo) SortKey() string { return v.ID }

// MediaKey is a key of a media product; what it signs with is never kept.
type MediaKey struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Created Time   `json:"created,omitzero"`
}

// SortKey orders keys by id.
func (k MediaKey) SortKey() string { return k.ID }

type imageVariantWire struct {
	ID       string `json:"id"`
	Unsigned bool   `json:"neverRequireSignedURLs"`
	Options  struct {
		Metadata string  `json:"metadata"`
		Width    float64 `json:"width"`
		Height   float64 `json:"height"`
	} `json:"options"`
}

type imageVariantsWire struct {
	Variants map[string]*imageVariantWire `json:"variants"`
}

// imageVariants reads the forms in which images are served
// (developers.cloudflare.com/api/resources/images/subresources/v1/subresources/variants/methods/list/).
func imageVariants() Source {
	return nested(ImageVariants, Source{
		Path: "/accounts/{account_id}/images/v1/variants", Permission: "Account: Cloudflare Images Read",
		Example: `{"variants":{"hero":{"id":"hero","options":{"fit":"scale-down","height":768,"metadata":"none","width":1366},` +
			`"neverRequireSignedURLs":false}}}`,
	}, func(p imageVariantsWire) (out []imageVariantWire) {
		for _, id := range slices.Sorted(maps.Keys(p.Variants)) {
			if v := p.Variants[id]; v != nil {
				v.ID = id
				out = append(out, *v)
			}
		}
		return out
	}, func(w imageVariantWire) ImageVariant {
		return ImageVariant{ID: w.ID, Unsigned: w.Unsigned,
			Metadata: w.Options.Metadata, Width: int(w.Options.Width), Height: int(w.Options.Height)}
	})
}

const permissionStream = "Account: Stream Read"

type streamVideoWire struct {
	ID        string   `json:"uid"`
	Signed    *bool    `json:"requireSignedURLs"`
	Origins   []string `json:"allowedOrigins"`
	LiveInput string   `json:"liveInput"`
}

// streamVideos lists the newest videos, at most a thousand, without their names
// (developers.cloudflare.com/api/resources/stream/methods/list/).
func streamVideos() Source {
	return list(StreamVideos, Source{
		Path: "/accounts/{account_id}/stream", Permission: permissionStream, MaxPages: 1,
		Example: `[{"uid":"w1","requireSignedURLs":true,"allowedOrigins":["acme.example"],"liveInput":"drop","meta":{"name":"drop"},` +
			`"playback":{"hls":"drop"}}]`,
	}, func(w streamVideoWire) StreamVideo {
		return StreamVideo{ID: w.ID, Signed: w.Signed, Origins: len(w.Origins), Live: w.LiveInput != ""}
	})
}

type streamKeyWire struct {
	ID      string `json:"id"`
	KeyID   string `json:"key_id"`
	Created Time   `json:"created"`
}

// streamKeys lists the keys that sign addresses of videos; without a video they open nothing
// (developers.cloudflare.com/api/resources/stream/subresources/keys/methods/get/).
func streamKeys() Source {
	return list(StreamKeys, Source{
		Path: "/accounts/{account_id}/stream/keys", Permission: permissionStream, After: []string{StreamVideos.Source()},
		Skip: func(k *Known, t SourceScope) string {
			return without(k, StreamVideos, t.AccountID, "Stream is not in use", "the account has no video")
		},
		Example: `[{"id":"g1","created":"2026-01-01T00:00:00Z"}]`,
	}, func(w streamKeyWire) MediaKey {
		if w.ID == "" {
			w.ID = w.KeyID
		}
		return MediaKey{ID: w.ID, Created: w.Created}
	})
}

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
	}, func(w turnKeyWire) MediaKey { return MediaKey{ID: w.ID, Name: w.Name, Created: w.Created} })
}
