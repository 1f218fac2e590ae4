package snapshot

type bucketsWire struct {
	Buckets []bucketWire `json:"buckets"`
}

type bucketWire struct {
	Name         string `json:"name"`
	Jurisdiction string `json:"jurisdiction"`
	CreatedOn    Time   `json:"creation_date"`
}

// r2Buckets lists the buckets of all jurisdictions: the default list lacks those
// of the others (developers.cloudflare.com/api/resources/r2/subresources/buckets/methods/list/).
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
	}, func(page bucketsWire) []bucketWire { return page.Buckets }, func(w bucketWire) Bucket {
		if w.Jurisdiction == "" {
			w.Jurisdiction = "default"
		}
		return Bucket(w)
	})
}

// R2Jurisdictions are those besides the default.
func R2Jurisdictions() []string { return []string{"eu", "us", "fedramp", "fedramp-high"} }

const (
	permissionR2       = "Account: Workers R2 Storage Read"
	jurisdictionHeader = "Cf-R2-Jurisdiction"
)

// bucketNames lists the items of a source that is read for each bucket.
func bucketNames(k *Known, account string) []string {
	all, _ := Cached(k, R2Buckets, account)
	var ids []string
	for _, b := range all {
		ids = append(ids, b.Name)
	}
	return ids
}

// jurisdictionOf gives the header a read on one bucket needs.
func jurisdictionOf(k *Known, t SourceScope) []map[string][]string {
	buckets, _ := Cached(k, R2Buckets, t.AccountID)
	for _, b := range buckets {
		if b.Name == t.Item && b.Jurisdiction != "default" {
			return []map[string][]string{{jurisdictionHeader: {b.Jurisdiction}}}
		}
	}
	return []map[string][]string{nil}
}
