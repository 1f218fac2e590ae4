// Package delivery brings results out of the service: files in every export format, signed evidence,
// search indexes, event collectors, chats and webhooks, tickets, and the ledger of what was sent.
//
// In: a saved assessment, read page by page, and the target it is for.
// Out: documents and messages; a delivery row that records what the receiver has.
//
// It imports core, platform, assessment, store, and must never import any other package of this module.
package delivery
