package config

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/platform/limit"
)

// Limits holds the raw limits, such as 32/256: how many of a kind one caller, and all callers of
// one process, may hold.
type Limits struct {
	Requests   string `env:"SERVICE_LIMIT_REQUESTS"`
	Waits      string `env:"SERVICE_LIMIT_WAITS"`
	Streams    string `env:"SERVICE_LIMIT_STREAMS"`
	Jobs       string `env:"SERVICE_LIMIT_JOBS"`
	Reads      string `env:"SERVICE_LIMIT_READS"`
	Judgements string `env:"SERVICE_LIMIT_JUDGEMENTS"`
	Tools      string `env:"SERVICE_LIMIT_TOOLS"`
	Answers    string `env:"SERVICE_LIMIT_ANSWERS"` // KiB
}

// Table returns the limits that are set.
func (l Limits) Table() (limit.Table, error) {
	t := limit.Table{}
	for _, v := range []struct {
		name string
		kind limit.Kind
		raw  string
	}{{"REQUESTS", limit.Requests, l.Requests}, {"WAITS", limit.Waits, l.Waits}, {"STREAMS", limit.Streams, l.Streams},
		{"JOBS", limit.Jobs, l.Jobs},
		{"READS", limit.Reads, l.Reads}, {"JUDGEMENTS", limit.Judgements, l.Judgements},
		{"TOOLS", limit.Tools, l.Tools}, {"ANSWERS", limit.Answers, l.Answers}} {
		if v.raw == "" {
			continue
		}
		b, err := limit.Parse(v.raw)
		if err != nil {
			return nil, fmt.Errorf("SERVICE_LIMIT_%s %w", v.name, err)
		}
		t[v.kind] = b
	}
	return t, nil
}

func checkLimits(c Config) error {
	_, err := c.Limits.Table()
	return err
}
