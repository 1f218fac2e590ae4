// Package script holds the checks of scripts on pages: client-side security, Zaraz, snippets and Turnstile.
package script

import "github.com/edgeposture/edgeposture/internal/check"

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{}
}
