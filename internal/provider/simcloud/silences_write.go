package simcloud

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

func noSilence() answer { return refuse(http.StatusNotFound, 17000, "silence not found") }

func readSilence(c *call) answer {
	if i := byKey(c.acct.silences, "id", c.id("silence_id")); i >= 0 {
		return ok(c.acct.silences[i])
	}
	return noSilence()
}

// createSilences takes a list, and its response omits the ids of the created silences, see
// https://developers.cloudflare.com/api/resources/alerting/subresources/silences/methods/create/.
func createSilences(c *call) answer {
	var body []struct {
		Policy string  `json:"policy_id"`
		Start  string  `json:"start_time"`
		End    *string `json:"end_time"` // null: until deleted
	}
	if json.Unmarshal(c.body, &body) != nil || len(body) == 0 {
		return badBody()
	}
	made := []obj{}
	for _, s := range body {
		start, startErr := time.Parse(time.RFC3339, s.Start)
		if startErr != nil || s.End != nil && !endsAfter(*s.End, start) {
			return refuse(http.StatusBadRequest, 17103, "start_time is required, and the end must come after the start")
		}
		if byKey(c.acct.alerts, "id", s.Policy) < 0 {
			return refuse(http.StatusBadRequest, 17103, "policy_id names no policy of the account")
		}
		made = append(made, obj{
			"id": c.newWriteStream().uuid(), "policy_id": s.Policy, "start_time": s.Start, "end_time": s.End,
			"created_at": stamp(c.now), "updated_at": stamp(c.now),
		})
	}
	c.acct.silences = append(c.acct.silences, made...)
	return ok(nil)
}

func endsAfter(end string, start time.Time) bool {
	at, err := time.Parse(time.RFC3339, end)
	return err == nil && at.After(start)
}

func deleteSilence(c *call) answer {
	i := byKey(c.acct.silences, "id", c.id("silence_id"))
	if i < 0 {
		return noSilence()
	}
	c.acct.silences = slices.Delete(c.acct.silences, i, i+1)
	return ok(nil)
}
