package snapshot

import (
	"strings"
	"unicode"
)

// What R2 buckets allow and keep; the scope is the bucket name.
const (
	R2CustomDomains Key[[]R2Domain]        = "r2/custom_domains"
	R2CORS          Key[[]R2CORSRule]      = "r2/cors"
	R2Lifecycle     Key[[]R2LifecycleRule] = "r2/lifecycle"
	R2Lock          Key[[]R2LockRule]      = "r2/lock"
)

// R2Domain is a host name of the account's own that serves a bucket. An empty
// MinTLS leaves the floor to the zone.
type R2Domain struct {
	Domain  string   `json:"domain"`
	Enabled bool     `json:"enabled"`
	MinTLS  string   `json:"minTLS,omitempty"`
	Ciphers []string `json:"ciphers"`
	ZoneID  string   `json:"zoneId"`
	Status  string   `json:"status,omitempty"`
}

// R2CORSRule lets pages of other sites use a bucket.
type R2CORSRule struct {
	Origins []string `json:"origins"`
	Methods []string `json:"methods"`
	Headers []string `json:"headers"`
}

// R2LifecycleRule ends objects or uploads. Delete is nil when the rule deletes
// no objects.
type R2LifecycleRule struct {
	ID      string      `json:"id"`
	Enabled bool        `json:"enabled"`
	Prefix  string      `json:"prefix,omitempty"`
	Delete  *R2Deadline `json:"delete,omitempty"`
	Aborts  bool        `json:"aborts_uploads"`
}

// R2LockRule keeps objects from being deleted.
type R2LockRule struct {
	ID      string     `json:"id"`
	Enabled bool       `json:"enabled"`
	Prefix  string     `json:"prefix,omitempty"`
	Until   R2Deadline `json:"until"`
}

// R2Deadline is when a rule acts: Kind is Age (Seconds after the object was
// written), Date or, for locks, Indefinite.
type R2Deadline struct {
	Kind    string `json:"type"`
	Seconds int    `json:"seconds,omitempty"`
	Date    Time   `json:"date,omitzero"`
}

// NamedAs reports whether the name of the bucket says that it holds something.
// A log is a word of its own, because other words end in it.
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

// Bucket names the R2 bucket a job writes to, "" for another destination.
func (j LogpushJob) Bucket() string {
	bucket, ok := strings.CutPrefix(j.Destination, "r2://")
	if !ok {
		return ""
	}
	return bucket
}
