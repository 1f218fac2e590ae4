package snapshot

import (
	"cmp"
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

// Bucket is an R2 bucket. Jurisdiction is "default" or one of R2Jurisdictions.
type Bucket struct {
	Name         string `json:"name"`
	Jurisdiction string `json:"jurisdiction"`
	CreatedOn    Time   `json:"creation_date,omitzero"`
}

// Elsewhere reports whether a bucket is in a jurisdiction, which requests about it must name in a
// header.
func (b Bucket) Elsewhere() bool { return b.Jurisdiction != "" && b.Jurisdiction != "default" }

// SortKey orders buckets by name.
func (b Bucket) SortKey() string { return b.Name }

type bucketsWire struct {
	Buckets []Bucket `json:"buckets"`
}

// r2Buckets lists the buckets of all jurisdictions: the default list does not include those of the
// others (developers.cloudflare.com/api/resources/r2/subresources/buckets/methods/list/).
func r2Buckets() Source {
	return nested(R2Buckets, Source{
		Path: "/accounts/{account_id}/r2/buckets", Paging: Paging{Kind: ByCursor, Size: 1000}, Permission: permissionR2, Feeds: true,
		Headers: func(*Known, SourceScope) []map[string][]string {
			headers := []map[string][]string{nil}
			for _, jurisdiction := range R2Jurisdictions() {
				headers = append(headers, map[string][]string{jurisdictionHeader: {jurisdiction}})
			}
			return headers
		},
		Example: `{"buckets":[{"name":"assets","creation_date":"2026-01-01T00:00:00Z","jurisdiction":"default"}]}`,
	}, func(page bucketsWire) []Bucket { return page.Buckets }, func(b Bucket) Bucket {
		b.Jurisdiction = cmp.Or(b.Jurisdiction, "default")
		return b
	})
}

// R2Jurisdictions are the jurisdictions other than the default.
func R2Jurisdictions() []string { return []string{"eu", "us", "fedramp", "fedramp-high"} }

const (
	permissionR2       = "Account: Workers R2 Storage Read"
	jurisdictionHeader = "Cf-R2-Jurisdiction"
)

// jurisdictionOf returns the header that a read of one bucket needs.
func jurisdictionOf(k *Known, t SourceScope) []map[string][]string {
	buckets, _ := Cached(k, R2Buckets, t.AccountID)
	for _, b := range buckets {
		if b.Name == t.Item && b.Jurisdiction != "default" {
			return []map[string][]string{{jurisdictionHeader: {b.Jurisdiction}}}
		}
	}
	return []map[string][]string{nil}
}
