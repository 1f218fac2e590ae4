package cloudflare

import (
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

type r2DeadlineWire struct {
	Type string `json:"type"`
	// MaxAge is that of lifecycle rules, MaxAgeSeconds that of locks.
	MaxAge        int           `json:"maxAge"`
	MaxAgeSeconds int           `json:"maxAgeSeconds"`
	Date          snapshot.Time `json:"date"`
}

func reduceDeadline(w r2DeadlineWire) snapshot.R2Deadline {
	return snapshot.R2Deadline{Kind: w.Type, Seconds: max(w.MaxAge, w.MaxAgeSeconds), Date: w.Date}
}

type r2LifecycleWire struct {
	Rules []struct {
		ID         string `json:"id"`
		Enabled    bool   `json:"enabled"`
		Conditions struct {
			Prefix string `json:"prefix"`
		} `json:"conditions"`
		Delete *struct {
			Condition r2DeadlineWire `json:"condition"`
		} `json:"deleteObjectsTransition"`
		Abort *struct {
			Condition r2DeadlineWire `json:"condition"`
		} `json:"abortMultipartUploadsTransition"`
	} `json:"rules"`
}

// r2Lifecycle reads when a bucket deletes objects
// (developers.cloudflare.com/api/resources/r2/subresources/buckets/subresources/lifecycle/methods/get/).
func r2Lifecycle() Source {
	return object(snapshot.R2Lifecycle, Source{
		Path: "/accounts/{account_id}/r2/buckets/{item}/lifecycle", Permission: permissionR2,
		Parent: snapshot.R2Buckets.Source(), Headers: jurisdictionOf, Items: bucketNames,
		Example: `{"rules":[{"id":"expire","enabled":true,"conditions":{"prefix":""},"deleteObjectsTransition":{"condition":{"type":"Age","maxAge":31536000}},"storageClassTransitions":[{"storageClass":"drop"}]}]}`,
	}, func(w r2LifecycleWire) []snapshot.R2LifecycleRule {
		out := []snapshot.R2LifecycleRule{}
		for _, r := range w.Rules {
			rule := snapshot.R2LifecycleRule{ID: r.ID, Enabled: r.Enabled, Prefix: r.Conditions.Prefix, Aborts: r.Abort != nil}
			if r.Delete != nil {
				at := reduceDeadline(r.Delete.Condition)
				rule.Delete = &at
			}
			out = append(out, rule)
		}
		return out
	})
}
