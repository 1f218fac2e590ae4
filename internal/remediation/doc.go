// Package remediation plans changes from live values, applies them with a backup before and a read
// after each one, and rolls them back. A language model may order and annotate a plan.
//
// In: findings with a remedy, live values, and a Grant of the gate. Out: plans, sealed bundles, and
// changes that were made, refused or taken back.
//
// It imports core, platform, provider, assessment, store, and must never import any other package
// of this module.
package remediation
