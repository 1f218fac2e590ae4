package snapshot

// R2CORS holds which sites may use a bucket.
const R2CORS Key[[]R2CORSRule] = "r2/cors"

// R2CORSRule lets pages of other sites use a bucket.
type R2CORSRule struct {
	Origins []string `json:"origins"`
	Methods []string `json:"methods"`
	Headers []string `json:"headers"`
}

type r2CORSWire struct {
	Rules []struct {
		Allowed struct {
			Origins []string `json:"origins"`
			Methods []string `json:"methods"`
			Headers []string `json:"headers"`
		} `json:"allowed"`
	} `json:"rules"`
}

// r2CORS reads which sites may use a bucket; not found means none
// (developers.cloudflare.com/api/resources/r2/subresources/buckets/subresources/cors/methods/get/).
func r2CORS() Source {
	return object(R2CORS, ofBucket(Source{
		Path: "/accounts/{account_id}/r2/buckets/{item}/cors",
		Example: `{"rules":[{"id":"drop","allowed":{"origins":["https://acme.example"],"methods":["GET"],"headers":["x-requested-by"]},` +
			`"exposeHeaders":["drop"],"maxAgeSeconds":3600}]}`,
	}), func(w r2CORSWire) []R2CORSRule {
		out := []R2CORSRule{}
		for _, r := range w.Rules {
			out = append(out, R2CORSRule{Origins: append([]string{}, r.Allowed.Origins...), Methods: append([]string{}, r.Allowed.Methods...),
				Headers: append([]string{}, r.Allowed.Headers...)})
		}
		return out
	})
}
