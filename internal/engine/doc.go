// Package engine runs work: one assessment from plan to save (assess), and the workers that claim jobs,
// renew their leases and end them (queue). What a kind of job is, is said in work; the kinds are in /jobs.
//
// In: a job row; a task in Redis only signals that something waits.
// Out: a saved assessment, plan, delivery or change, and a job that has ended exactly once.
//
// It imports core, platform, provider, assessment, store, delivery, remediation, and must never import
// any other package of this module.
package engine
