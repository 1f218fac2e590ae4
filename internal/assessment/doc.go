// Package assessment judges snapshots. Its packages are pure: no clock, network, disk, randomness
// or log.
//
// Input: a frozen snapshot, the account's policy, exceptions, and what is known of earlier runs.
// Output: findings, the resource graph, attack paths, scores, controls, and the report that joins
// them.
//
// It imports core, and must never import any other package of this module.
package assessment
