package snapshot

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// AccountLogpushJobs holds the log exports of the account.
const AccountLogpushJobs Key[[]LogpushJob] = "account/logpush_jobs"

// LogpushJob exports one dataset. Destination is scheme and host only.
type LogpushJob struct {
	ID           int     `json:"id"`
	Name         string  `json:"name"`
	Dataset      string  `json:"dataset"`
	Enabled      bool    `json:"enabled"`
	LastComplete Time    `json:"last_complete,omitzero"`
	LastError    Time    `json:"last_error,omitzero"`
	HasError     bool    `json:"has_error"`
	SampleRate   float64 `json:"sample_rate"`
	Destination  string  `json:"destination"`
	Filtered     bool    `json:"filtered,omitempty"` // a filter or a switch excludes some logs
	// Unchecked says that the certificate of the destination is not verified.
	Unchecked bool `json:"unchecked,omitempty"`
	// Owner is the account of the destination R2 bucket.
	Owner string `json:"owner,omitempty"`
	// Fields are the fields of a record that checks look for; FieldsTold says whether Cloudflare
	// returned the field names.
	Fields     []string `json:"fields,omitempty"`
	FieldsTold bool     `json:"fields_told,omitempty"`
}

// EvidentFields returns the fields that a record of a dataset needs to show who requested what and
// what was done, each with the fields that are equivalent.
func EvidentFields(dataset string) map[string][]string {
	switch dataset {
	case "http_requests":
		return map[string][]string{"ClientIP": nil, "ClientRequestHost": nil, "ClientRequestMethod": nil,
			"ClientRequestURI": {"ClientRequestPath"}, "EdgeStartTimestamp": {"EdgeEndTimestamp"}, "EdgeResponseStatus": nil}
	case "firewall_events":
		return map[string][]string{"Action": nil, "ClientIP": nil, "ClientRequestHost": nil, "ClientRequestPath": nil, "Datetime": nil,
			"RuleID": nil, "Source": nil}
	}
	return nil
}

// personalFields are fields that contain the values picked by custom log fields, cookies and
// headers.
func personalFields() []string { return []string{"Cookies", "RequestHeaders", "ResponseHeaders"} }

// SortKey orders jobs by id, as text of fixed width.
func (j LogpushJob) SortKey() string {
	if j.ID == 0 {
		return ""
	}
	return fmt.Sprintf("%012d", j.ID)
}

// Failing reports whether the last run of the job failed.
func (j LogpushJob) Failing() bool {
	return !j.LastError.IsZero() && j.LastError.After(j.LastComplete.Time)
}

// Exports reports whether the job works and exports a dataset; a filter may exclude part of it.
func (j LogpushJob) Exports(dataset string) bool {
	return j.Enabled && !j.Failing() && j.Dataset == dataset
}

// Partial reports whether a job leaves records out: those that a filter excludes, or all but a sample.
// A rate of 0 would mean no logs at all; here it means that the API did not return the rate.
func (j LogpushJob) Partial() bool { return j.Filtered || j.Sampled() }

// Sampled reports whether a job exports a sample only.
func (j LogpushJob) Sampled() bool { return j.SampleRate > 0 && j.SampleRate < 1 }

// Bucket returns the R2 bucket a job writes to, "" for another destination.
func (j LogpushJob) Bucket() string {
	bucket, ok := strings.CutPrefix(j.Destination, "r2://")
	if !ok {
		return ""
	}
	return bucket
}

// WritesTo reports whether a job writes to an R2 bucket of an account, as far as is known: another
// account may have a bucket of the same name.
func (j LogpushJob) WritesTo(bucket, account string) bool {
	return bucket != "" && j.Bucket() == bucket && (j.Owner == "" || strings.EqualFold(j.Owner, account))
}

type logpushWire struct {
	ID             int    `json:"id"`
	Name           string `json:"name"`
	Dataset        string `json:"dataset"`
	Enabled        bool   `json:"enabled"`
	Destination    string `json:"destination_conf"`
	LastComplete   Time   `json:"last_complete"`
	LastError      Time   `json:"last_error"`
	ErrorMessage   string `json:"error_message"`
	Filter         string `json:"filter"`
	NoAttacks      bool   `json:"filter_attack_traffic"`
	LogpullOptions string `json:"logpull_options"`
	OutputOptions  *struct {
		SampleRate *float64 `json:"sample_rate"`
		FieldNames []string `json:"field_names"`
	} `json:"output_options"`
}

// older returns one of the options that output_options replaces
// (developers.cloudflare.com/logs/logpush/logpush-job/log-output-options/).
func (w logpushWire) older(name string) string {
	for option := range strings.SplitSeq(w.LogpullOptions, "&") {
		if value, ok := strings.CutPrefix(option, name+"="); ok {
			return value
		}
	}
	return ""
}

// fields lists the fields of a record, from the newer or the older option.
func (w logpushWire) fields() []string {
	if w.OutputOptions != nil && len(w.OutputOptions.FieldNames) > 0 {
		return w.OutputOptions.FieldNames
	}
	if names := w.older("fields"); names != "" {
		return strings.Split(names, ",")
	}
	return nil
}

// sampleRate returns which share of the records is exported, from the newer or the older option: all
// by default.
func (w logpushWire) sampleRate() float64 {
	if w.OutputOptions != nil && w.OutputOptions.SampleRate != nil {
		return *w.OutputOptions.SampleRate
	}
	if rate, err := strconv.ParseFloat(w.older("sample"), 64); err == nil {
		return rate
	}
	return 1
}

// looksFor reports whether any check looks for a field of a dataset.
func looksFor(dataset, field string) bool {
	for f, others := range EvidentFields(dataset) {
		if f == field || slices.Contains(others, field) {
			return true
		}
	}
	return slices.Contains(personalFields(), field)
}

// reduceLogpush keeps only scheme and host of the destination: its query and user part carry
// credentials.
func reduceLogpush(w logpushWire) LogpushJob {
	j := LogpushJob{ID: w.ID, Name: w.Name, Dataset: w.Dataset, Enabled: w.Enabled, LastComplete: w.LastComplete,
		LastError: w.LastError, HasError: w.ErrorMessage != "", SampleRate: w.sampleRate(), Destination: schemeAndHost(w.Destination),
		Filtered: w.NoAttacks || !slices.Contains([]string{"", "{}", "null"}, strings.TrimSpace(w.Filter))}
	names := w.fields()
	j.FieldsTold = len(names) > 0
	for _, n := range names {
		if looksFor(w.Dataset, n) {
			j.Fields = append(j.Fields, n)
		}
	}
	slices.Sort(j.Fields)
	j.Fields = slices.Compact(j.Fields)
	if u, err := url.Parse(w.Destination); err == nil {
		q := u.Query()
		switch strings.ToLower(u.Scheme) {
		case "splunk":
			j.Unchecked = strings.EqualFold(q.Get("insecure-skip-verify"), "true") || q.Get("insecure-skip-verify") == "1"
		case "r2":
			j.Owner = q.Get("account-id")
		}
	}
	return j
}

func schemeAndHost(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" {
		return ""
	}
	return u.Scheme + "://" + u.Hostname()
}

// accountLogpushJobs lists the log exports of the account
// (developers.cloudflare.com/api/resources/logpush/subresources/jobs/methods/list/).
func accountLogpushJobs() Source {
	return list(AccountLogpushJobs, Source{
		Path: "/accounts/{account_id}/logpush/jobs", Volatile: true, Permission: "Account: Logs Read",
		Example: `[{"id":7,"name":"audit","dataset":"audit_logs","enabled":true,"destination_conf":"s3://bucket/x?secret-access-key=drop",` +
			`"last_complete":"2026-01-01T00:00:00Z","last_error":null,"output_options":{"field_names":["ActionResult","drop"]}}]`,
	}, reduceLogpush)
}
