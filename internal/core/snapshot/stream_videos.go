package snapshot

import (
	"slices"
	"strings"
)

// StreamVideos holds the newest videos.
const StreamVideos Key[[]StreamVideo] = "account/stream_videos"

// StreamVideo is a video. Signed says whether its URL requires a signature, Origins how many sites
// may show it (0 for any site), Live whether it was recorded from a live input.
type StreamVideo struct {
	ID      string `json:"uid"`
	Signed  *bool  `json:"require_signed_urls,omitempty"`
	Origins int    `json:"allowed_origins"`
	Live    bool   `json:"live,omitempty"`
}

// SortKey orders videos by id.
func (v StreamVideo) SortKey() string { return v.ID }

// NewestVideos is how many videos a list has at most; older ones are not read.
const NewestVideos = 1000

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
		return StreamVideo{ID: w.ID, Signed: w.Signed, Origins: sites(w.Origins), Live: w.LiveInput != ""}
	})
}

// sites counts the origins that may show a video. None, and a wildcard without a domain, stand for any
// site: the wildcard is for subdomains.
func sites(origins []string) int {
	if slices.ContainsFunc(origins, func(o string) bool { return strings.Trim(o, "*. ") == "" }) {
		return 0
	}
	return len(origins)
}
