// Package assessment judges. Everything in it is pure: no clock, network, disk, randomness or log.
//
// In: a frozen snapshot, the policy of the account, exceptions, and what is known of earlier runs.
// Out: findings, the resource graph, attack paths, scores, controls, and the report that joins them.
//
// It imports core, and must never import anything else of ours.
package assessment
