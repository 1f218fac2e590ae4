package snapshot

import (
	"net/url"
)

type logpushWire struct {
	ID            int    `json:"id"`
	Name          string `json:"name"`
	Dataset       string `json:"dataset"`
	Enabled       bool   `json:"enabled"`
	Destination   string `json:"destination_conf"`
	LastComplete  Time   `json:"last_complete"`
	LastError     Time   `json:"last_error"`
	ErrorMessage  string `json:"error_message"`
	OutputOptions *struct {
		SampleRate *float64 `json:"sample_rate"`
	} `json:"output_options"`
}

// SortKey and the reduction keep scheme and host of the destination only: its
// query and user part carry credentials.
func reduceLogpush(w logpushWire) LogpushJob {
	j := LogpushJob{ID: w.ID, Name: w.Name, Dataset: w.Dataset, Enabled: w.Enabled, LastComplete: w.LastComplete,
		LastError: w.LastError, HasError: w.ErrorMessage != "", SampleRate: 1, Destination: schemeAndHost(w.Destination)}
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
