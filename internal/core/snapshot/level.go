package snapshot

import "strings"

// Level is what a section's scope id identifies.
type Level string

// User sections have the scope "user"; account sections the account id; zone
// sections the zone id; item sections the id of one item of a parent source.
const (
	LevelUser    Level = "user"
	LevelAccount Level = "account"
	LevelZone    Level = "zone"
	LevelItem    Level = "item"
)

// InZone reports whether the items of a source belong to a zone; their scope is
// then "<zone id>/<item>".
func InZone(source string) bool { return strings.HasPrefix(source, "snippet/") }

// UserScope is the scope id of every user-level section.
const UserScope = "user"

// LevelOf returns the level of a source by its name.
func LevelOf(source string) Level {
	switch source {
	case "zone/list", "account/list":
		return LevelAccount
	case "account/ruleset_custom", "account/list_items":
		return LevelItem
	}
	prefix, _, _ := strings.Cut(source, "/")
	switch prefix {
	case "user":
		return LevelUser
	case "zone":
		return LevelZone
	case "account":
		return LevelAccount
	default:
		return LevelItem
	}
}
