// Package gateway holds the checks of Gateway and of data in connected applications.
package gateway

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// notOnboarded returns the reason when the account does not use Gateway, or "".
func notOnboarded(v *check.View) string {
	if v.StatusOf(snapshot.GatewayRules) == snapshot.Absent {
		return "Gateway is not in use"
	}
	return ""
}

// editRules is an example edit of the rules.
func editRules(change func(*[]snapshot.GatewayRule)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Edit(b, snapshot.GatewayRules, goodtest.Account, change) }
}

// editRule is an example edit of one rule.
func editRule(id string, change func(*snapshot.GatewayRule)) func(*snapshot.Builder) {
	return goodtest.Each(snapshot.GatewayRules, goodtest.Account, func(r *snapshot.GatewayRule) {
		if r.ID == id {
			change(r)
		}
	})
}

// addRule is an example edit that adds an enabled rule that is evaluated first.
func addRule(r snapshot.GatewayRule) func(*snapshot.Builder) {
	r.Enabled, r.Precedence = true, 10
	if r.ID == "" {
		r.ID, r.Name = "r9", "Added"
	}
	return editRules(func(rs *[]snapshot.GatewayRule) { *rs = append(*rs, r) })
}

// disable is an example edit that disables a rule.
func disable(id string) func(*snapshot.Builder) {
	return editRule(id, func(r *snapshot.GatewayRule) { r.Enabled = false })
}

// editConfig is an example edit of the settings.
func editConfig(change func(*snapshot.GatewaySettings)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Edit(b, snapshot.GatewayConfig, goodtest.Account, change) }
}

// absent is an example edit: the account does not use Gateway.
func absent(b *snapshot.Builder) {
	b.Mark(snapshot.GatewayRules.Source(), snapshot.Absent, "", "")
	b.Mark(snapshot.GatewayConfig.Source(), snapshot.Skipped, "", "Gateway is not in use")
	b.Mark(snapshot.GatewayLogging.Source(), snapshot.Skipped, "", "Gateway is not in use")
}

// skip is an example edit: a source is not read because Gateway is not in use.
func skip(k snapshot.Named) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { b.Mark(k.Source(), snapshot.Skipped, "", "Gateway is not in use") }
}
