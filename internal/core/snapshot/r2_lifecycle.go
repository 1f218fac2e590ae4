package snapshot

// R2Lifecycle holds when a bucket deletes objects.
const R2Lifecycle Key[[]R2LifecycleRule] = "r2/lifecycle"

// R2LifecycleRule deletes objects or ends uploads. Delete is nil when the rule deletes no objects.
type R2LifecycleRule struct {
	ID      string      `json:"id"`
	Enabled bool        `json:"enabled"`
	Prefix  string      `json:"prefix,omitempty"`
	Delete  *R2Deadline `json:"delete,omitempty"`
	Aborts  bool        `json:"aborts_uploads"`
}

// R2Deadline is when a rule acts: Kind is Age (Seconds after the object was
// written), Date or, for locks, Indefinite.
type R2Deadline struct {
	Kind    string `json:"type"`
	Seconds int    `json:"seconds,omitempty"`
	Date    Time   `json:"date,omitzero"`
}

type r2LifecycleWire struct {
	Rules []struct {
		ID         string `json:"id"`
		Enabled    bool   `json:"enabled"`
		Conditions struct {
			Prefix string `json:"prefix"`
		} `json:"conditions"`
		Delete *struct {
			Condition struct {
				Type   string `json:"type"`
				MaxAge int    `json:"maxAge"`
				Date   Time   `json:"date"`
			} `json:"condition"`
		} `json:"deleteObjectsTransition"`
		Abort *struct{} `json:"abortMultipartUploadsTransition"`
	} `json:"rules"`
}

// r2Lifecycle reads when a bucket deletes objects
// (developers.cloudflare.com/api/resources/r2/subresources/buckets/subresources/lifecycle/methods/get/).
func r2Lifecycle() Source {
	return object(R2Lifecycle, ofBucket(Source{
		Path: "/accounts/{account_id}/r2/buckets/{item}/lifecycle",
		Example: `{"rules":[{"id":"expire","enabled":true,"conditions":{"prefix":""},"deleteObjectsTransition":{"condition":{"type":"Age",` +
			`"maxAge":31536000}},"storageClassTransitions":[{"storageClass":"drop"}]}]}`,
	}), func(w r2LifecycleWire) []R2LifecycleRule {
		out := []R2LifecycleRule{}
		for _, r := range w.Rules {
			rule := R2LifecycleRule{ID: r.ID, Enabled: r.Enabled, Prefix: r.Conditions.Prefix, Aborts: r.Abort != nil}
			if r.Delete != nil {
				at := r.Delete.Condition
				rule.Delete = &R2Deadline{Kind: at.Type, Seconds: at.MaxAge, Date: at.Date}
			}
			out = append(out, rule)
		}
		return out
	})
}
