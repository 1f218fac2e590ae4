// Package siem writes an assessment for the systems that a security team watches: as documents for a
// search index (Elastic Common Schema 8.11.0) and as events for an HTTP event collector (Common
// Information Model), and sends both. The output is a pure function of the assessment: the same
// assessment gives the same bytes and the same ids, so that a delivery can be repeated. Both forms
// contain the same join of a finding with its node and its attack paths.
package siem

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

// MaxDocument is the largest size of a document or event in bytes. What does not fit is cut, long texts
// between runes and long lists between entries, and edgeposture.truncated is set.
const MaxDocument = 32 << 10

// DefaultIndex is the default index of documents.
const DefaultIndex = "edgeposture-assessments"

// Form selects the document schema used for findings.
type Form int

// ECS is plain Elastic Common Schema with one object of our own. Posture adds what Elastic's cloud
// security posture pages read (resource, result, rule.benchmark); it cannot express UNKNOWN, so such
// findings are left out and only counted in the summary.
const (
	ECS Form = iota
	Posture
)

// Changes selects what is new or changed since an earlier assessment. Finding is called with finding
// ids. Path is called with attack path ids; without it a path is included when one of its findings is,
// or when it has none.
type Changes struct {
	Finding func(id string) bool
	Path    func(id string) bool
}

// Options configures how an assessment is written. The zero value is usable.
type Options struct {
	Form Form
	// Index is the search index (DefaultIndex when empty). In the Posture form, findings go to
	// PostureStream instead.
	Index string
	// Namespace is the last part of the data stream's name, "default" when empty.
	Namespace string
	// Host is the host field of the events, "edgeposture" when empty.
	Host string
	// CollectorIndex is the index that events request; empty leaves it to the token.
	CollectorIndex string
	// Changes, when set, limits the output to what it selects. The summary is always included.
	Changes *Changes
}

// Document is one document for a search index. ID is the same whenever the same assessment is written.
// Create keeps an existing document; a data stream accepts no other action.
type Document struct {
	ID     string
	Index  string
	Create bool
	Body   []byte // one JSON object without line breaks
}

// Event is one envelope for an event collector. ID is also the event's "id" field.
type Event struct {
	ID   string
	Body []byte // one JSON object without line breaks
}

// Documents yields the assessment as documents: findings in report order, then attack paths, then the
// summary. It holds one finding at a time. An invalid option or an error of the source ends it; the
// documents before that are incomplete.
func Documents(d export.Document, o Options) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for p, err := range parts(d, o) {
			var doc Document
			if err == nil && p.shown() {
				doc, err = p.document()
			} else if err == nil {
				continue
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// Events yields the assessment as collector events, in the order of Documents. It ignores Form.
func Events(d export.Document, o Options) iter.Seq2[Event, error] {
	o.Form = ECS
	return func(yield func(Event, error) bool) {
		for p, err := range parts(d, o) {
			var e Event
			if err == nil {
				e, err = p.event()
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// PostureStream is the data stream of a namespace for findings in the Posture form.
func PostureStream(namespace string) string {
	return "logs-" + postureDataset + "-" + namespace
}

const postureDataset = "cloud_security_posture.findings"

func (o Options) filled() Options {
	o.Index, o.Namespace, o.Host = cmp.Or(o.Index, DefaultIndex), cmp.Or(o.Namespace, "default"), cmp.Or(o.Host, "edgeposture")
	return o
}

// Check validates the options; the error is a problem that may be shown. Sources of the naming rules:
// Elasticsearch's "create index" and data stream naming pages, Splunk's indexes.conf.
func (o Options) Check() error {
	o = o.filled()
	for _, name := range []struct{ location, value, say string }{
		{"searchIndex", o.Index, "a search index"}, {"searchNamespace", o.Namespace, "a data stream namespace"},
	} {
		bad := len(name.value) > 255 || strings.ToLower(name.value) != name.value || strings.ContainsAny(name.value, "\\/*?\"<>| ,#:\x7f") ||
			strings.ContainsFunc(name.value, func(r rune) bool { return r < ' ' || r == '\uFFFD' }) || strings.HasPrefix(name.value, "-") ||
			strings.HasPrefix(name.value, "_") ||
			strings.HasPrefix(name.value, "+") || strings.Trim(name.value, ".") == ""
		if bad {
			return posture.Invalid(name.location, fmt.Sprintf("The name of %s is not allowed: use small letters, digits, dots, dashes and "+
				"underscores, begin with a letter, and stay below 256 bytes.", name.say), nil)
		}
	}
	if strings.Contains(o.Namespace, "-") || len(o.Namespace) > 100 {
		return posture.Invalid("searchNamespace", "The data stream namespace is not allowed: leave out dashes and stay below 101 bytes.", nil)
	}
	if o.CollectorIndex != "" && !regexp.MustCompile(`^[a-z0-9_][a-z0-9_-]{0,79}$`).MatchString(o.CollectorIndex) {
		return posture.Invalid("hecIndex", "The name of the collector index is not allowed: use small letters, digits, dashes and underscores, "+
			"at most 80, not beginning with a dash.", nil)
	}
	return nil
}
