package snapshot

import (
	"fmt"
	"net/url"
	"slices"
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
	Filtered     bool    `json:"filtered,omitempty"` // a filter leaves logs out
}

// SortKey orders jobs by id, as text of fixed width.
func (j LogpushJob) SortKey() string {
	if j.ID == 0 {
		return ""
	}
	return fmt.Sprintf("%012d", j.ID)
}

// Failing reports whether the last thing the job did was fail.
func (j LogpushJob) Failing() bool {
	return !j.LastError.IsZero() && j.LastError.After(j.LastComplete.Time)
}

// Bucket names the R2 bucket a job writes to, "" for another destination.
func (j LogpushJob) Bucket() string {
	bucket, ok := strings.CutPrefix(j.Destination, "r2://")
	if !ok {
		return ""
	}
	return bucket
}

type logpushWire struct {
	ID            int    `json:"id"`
	Name          string `json:"name"`
	Dataset       string `json:"dataset"`
	Enabled       bool   `json:"enabled"`
	Destination   string `json:"destination_conf"`
	LastComplete  Time   `json:"last_complete"`
	LastError     Time   `json:"last_error"`
	ErrorMessage  string `json:"error_message"`
	Filter        string `json:"filter"`
	OutputOptions *struct {
		SampleRate *float64 `json:"sample_rate"`
	} `json:"output_options"`
}

// SortKey and the reduction keep scheme and host of the destination only: its
// query and user part carry credentials.
func reduceLogpush(w logpushWire) LogpushJob {
	j := LogpushJob{ID: w.ID, Name: w.Name, Dataset: w.Dataset, Enabled: w.Enabled, LastComplete: w.LastComplete,
		LastError: w.LastError, HasError: w.ErrorMessage != "", SampleRate: 1, Destination: schemeAndHost(w.Destination),
		Filtered: !slices.Contains([]string{"", "{}", "null"}, strings.TrimSpace(w.Filter))}
	if w.OutputOptions != nil && w.OutputOptions.SampleRate != nil {
		j.SampleRate = *w.OutputOptions.SampleRate
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
			`"last_complete":"2026-01-01T00:00:00Z","last_error":null}]`,
	}, reduceLogpush)
}
