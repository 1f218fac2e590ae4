package config

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Retention holds the raw retention periods: days, such as 90d, or off to keep everything.
type Retention struct {
	Assessments string `env:"SERVICE_KEEP_ASSESSMENTS" envDefault:"400d"`
	Sections    string `env:"SERVICE_KEEP_SECTIONS" envDefault:"90d"`
	Jobs        string `env:"SERVICE_KEEP_JOBS" envDefault:"30d"`
	Deliveries  string `env:"SERVICE_KEEP_DELIVERIES" envDefault:"90d"`
}

// keepForGood disables deletion.
const keepForGood = "off"

// longestKept is a century in days.
const longestKept = 36_500

// ParseKept parses a retention period; 0 means forever.
func ParseKept(raw string) (time.Duration, error) {
	if raw == keepForGood {
		return 0, nil
	}
	m := regexp.MustCompile(`^([0-9]{1,5})d$`).FindStringSubmatch(raw)
	if m == nil {
		return 0, fmt.Errorf("is not a number of days; use for example 90d, or off to keep everything")
	}
	days, _ := strconv.Atoi(m[1]) // at most five digits
	if days < 1 || days > longestKept {
		return 0, fmt.Errorf("is %d days; use 1d to %dd, or off to keep everything", days, longestKept)
	}
	return time.Duration(days) * 24 * time.Hour, nil
}

func checkRetention(c Config) error {
	for _, v := range []struct{ name, raw string }{{"SERVICE_KEEP_ASSESSMENTS", c.Retention.Assessments},
		{"SERVICE_KEEP_SECTIONS", c.Retention.Sections},
		{"SERVICE_KEEP_JOBS", c.Retention.Jobs}, {"SERVICE_KEEP_DELIVERIES", c.Retention.Deliveries}} {
		if _, err := ParseKept(v.raw); err != nil {
			return fmt.Errorf("%s %w", v.name, err)
		}
	}
	return nil
}
