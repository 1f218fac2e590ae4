package snapshot

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// R2Buckets holds the buckets of all jurisdictions.
const R2Buckets Key[[]Bucket] = "account/r2_buckets"

// NamedAs reports whether the name of the bucket suggests certain content. "log" must be a whole
// word, because other words end in it.
func (b Bucket) NamedAs(what ...string) bool {
	words := strings.FieldsFunc(strings.ToLower(b.Name), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, word := range words {
		for _, w := range what {
			if word == w || word == w+"s" || w != "log" && strings.Contains(word, w) {
				return true
			}
		}
	}
	return false
}

// Bucket is an R2 bucket. Jurisdiction is "default" or one of R2Jurisdictions. Buckets of different jurisdictions may have one name.
type Bucket struct {
	// ID is set where another jurisdiction has a bucket of the name, see BucketID.
	ID           string `json:"id,omitempty"`
	Name         string `json:"name"`
	Jurisdiction string `json:"jurisdiction"`
	CreatedOn    Time   `json:"creation_date,omitzero"`
}

// Elsewhere reports whether a bucket is in a jurisdiction, which requests about it must name in a
// header.
func (b Bucket) Elsewhere() bool {
	return b.Jurisdiction != "" && b.Jurisdiction != defaultJurisdiction
}

// Bucket returns the bucket that a binding names. Without a jurisdiction it is that of the default one, if there is any.
func (b Binding) Bucket(all []Bucket) (found Bucket, ok bool) {
	for _, x := range all {
		if x.Name == b.Target && (b.Jurisdiction == "" || x.Jurisdiction == b.Jurisdiction) && (!ok || !x.Elsewhere()) {
			found, ok = x, true
		}
	}
	return found, ok
}

// SortKey identifies a bucket in its account.
func (b Bucket) SortKey() string { return cmp.Or(b.ID, b.Name) }

// BucketID is how Cloudflare writes a bucket where its name alone is not enough, as in the resources of a token
// (developers.cloudflare.com/r2/api/tokens/): no name contains an underscore.
func BucketID(jurisdiction, name string) string { return jurisdiction + "_" + name }

type bucketsWire struct {
	Buckets []bucketWire `json:"buckets"`
}

type bucketWire struct {
	Name         string `json:"name"`
	Jurisdiction string `json:"jurisdiction"`
	CreatedOn    Time   `json:"creation_date"`
}

// r2Buckets lists the buckets of all jurisdictions: the default list does not include those of the
// others (developers.cloudflare.com/api/resources/r2/subresources/buckets/methods/list/).
func r2Buckets() Source {
	s := nested(R2Buckets, Source{
		Path: "/accounts/{account_id}/r2/buckets", Paging: Paging{Kind: ByCursor, Size: 1000}, Permission: permissionR2, Feeds: true,
		Headers: func(*Known, SourceScope) []map[string][]string {
			headers := []map[string][]string{nil}
			for _, jurisdiction := range R2Jurisdictions() {
				headers = append(headers, map[string][]string{R2JurisdictionHeader: {jurisdiction}})
			}
			return headers
		},
		Example: `{"buckets":[{"name":"assets","creation_date":"2026-01-01T00:00:00Z","jurisdiction":"default"}]}`,
	}, func(page bucketsWire) []bucketWire { return page.Buckets }, func(w bucketWire) Bucket {
		b := Bucket{Name: w.Name, Jurisdiction: cmp.Or(w.Jurisdiction, defaultJurisdiction), CreatedOn: w.CreatedOn}
		if b.Elsewhere() {
			b.ID = BucketID(b.Jurisdiction, b.Name)
		}
		return b
	})
	join := s.join
	s.join = func(pages []json.RawMessage) (json.RawMessage, error) {
		joined, err := join(pages)
		if err != nil {
			return nil, err
		}
		var all []Bucket
		if err := json.Unmarshal(joined, &all); err != nil {
			return nil, fmt.Errorf("decode %s: %w", s.Name, err)
		}
		named := map[string]int{}
		for _, b := range all {
			named[b.Name]++
		}
		for i := range all {
			if named[all[i].Name] == 1 {
				all[i].ID = ""
			}
		}
		slices.SortFunc(all, func(a, b Bucket) int { return strings.Compare(a.SortKey(), b.SortKey()) })
		return Canonical(all)
	}
	return s
}

// ofBucket completes the source of what each bucket has: its jurisdiction is named in a header.
func ofBucket(s Source) Source {
	s.Permission, s.Parent, s.Items = permissionR2, R2Buckets.Source(), idsOf(R2Buckets, nil)
	s.Headers = func(k *Known, t SourceScope) []map[string][]string {
		if b := bucketOf(k, t); b.Elsewhere() {
			return []map[string][]string{{R2JurisdictionHeader: {b.Jurisdiction}}}
		}
		return []map[string][]string{nil}
	}
	s.Fill = func(k *Known, t SourceScope) map[string]string { return map[string]string{"item": bucketOf(k, t).Name} }
	return s
}

// R2JurisdictionHeader names the jurisdiction of the bucket that a request is about.
const R2JurisdictionHeader = "Cf-R2-Jurisdiction"

// R2Jurisdictions are the jurisdictions other than the default.
func R2Jurisdictions() []string { return []string{"eu", "us", "fedramp", "fedramp-high"} }

const (
	permissionR2        = "Account: Workers R2 Storage Read"
	defaultJurisdiction = "default"
)

// bucketOf returns the bucket whose sections a read is for.
func bucketOf(k *Known, t SourceScope) Bucket {
	buckets, _ := Cached(k, R2Buckets, t.AccountID)
	if i := slices.IndexFunc(buckets, func(b Bucket) bool { return b.SortKey() == t.Item }); i >= 0 {
		return buckets[i]
	}
	return Bucket{Name: t.Item}
}
