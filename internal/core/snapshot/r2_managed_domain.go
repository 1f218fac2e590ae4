package snapshot

// R2ManagedDomain holds whether the development URL of a bucket is enabled.
const R2ManagedDomain Key[R2ManagedAddress] = "r2/managed_domain" // scope: Bucket.SortKey

// R2ManagedAddress is the development URL of a bucket.
type R2ManagedAddress struct {
	Domain  string `json:"domain"`
	Enabled bool   `json:"enabled"`
}

// r2ManagedDomain reads whether the development URL of a bucket is enabled
// (developers.cloudflare.com/api/resources/r2/subresources/buckets/subresources/domains/subresources/managed/methods/list/).
func r2ManagedDomain() Source {
	return object(R2ManagedDomain, ofBucket(Source{
		Path: "/accounts/{account_id}/r2/buckets/{item}/domains/managed", Feeds: true,
		Example: `{"bucketId":"b1","domain":"pub-b1.r2.dev","enabled":false}`,
	}), asRead[R2ManagedAddress])
}
