// Package remediation changes things: it plans over live values, applies with a backup before and a
// read after each change, and rolls back. A language model may order and annotate a plan.
//
// In: findings with a remedy, live values, and a Grant of the gate.
// Out: plans, sealed bundles, and changes that were made, refused or taken back.
//
// It imports core, platform, provider, assessment, store, and must never import anything else of ours.
package remediation
