package cloudflare

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/snapshot"
)

type bucketsWire struct {
	Buckets []bucketWire `json:"buckets"`
}

type bucketWire struct {
	Name         string        `json:"name"`
	Jurisdiction string        `json:"jurisdiction"`
	CreatedOn    snapshot.Time `json:"creation_date"`
}

// r2Buckets lists the buckets of all jurisdictions: the default list lacks those
// of the others (developers.cloudflare.com/api/resources/r2/subresources/buckets/methods/list/).
func r2Buckets() Source {
	s := Source{
		Name: snapshot.R2Buckets.Source(),
		Path: "/accounts/{account_id}/r2/buckets", Paging: Paging{Kind: ByCursor, Size: 1000}, Permission: permissionR2, Feeds: true,
		Headers: func(*Known, Target) []http.Header {
			return []http.Header{nil, {jurisdictionHeader: {"eu"}}, {jurisdictionHeader: {"fedramp"}}}
		},
		Example: `{"buckets":[{"name":"assets","creation_date":"2026-01-01T00:00:00Z","jurisdiction":"default"}]}`,
	}
	s.decode = decodeBuckets
	return s
}

const (
	permissionR2       = "Account: Workers R2 Storage Read"
	jurisdictionHeader = "Cf-R2-Jurisdiction"
)

func decodeBuckets(pages []json.RawMessage) (json.RawMessage, error) {
	out := []snapshot.Bucket{}
	for _, p := range pages {
		var w bucketsWire
		if err := decodeInto(p, &w, snapshot.R2Buckets.Source()); err != nil {
			return nil, err
		}
		for _, b := range w.Buckets {
			if b.Jurisdiction == "" {
				b.Jurisdiction = "default"
			}
			out = append(out, snapshot.Bucket(b))
		}
	}
	slices.SortFunc(out, func(a, b snapshot.Bucket) int { return strings.Compare(a.Name, b.Name) })
	out = slices.CompactFunc(out, func(a, b snapshot.Bucket) bool { return a.Name == b.Name })
	return snapshot.Canonical(out)
}

// jurisdictionOf gives the header a read on one bucket needs.
func jurisdictionOf(k *Known, t Target) []http.Header {
	buckets, _ := Peek(k, snapshot.R2Buckets, t.AccountID)
	for _, b := range buckets {
		if b.Name == t.Item && b.Jurisdiction != "default" {
			return []http.Header{{jurisdictionHeader: {b.Jurisdiction}}}
		}
	}
	return []http.Header{nil}
}
