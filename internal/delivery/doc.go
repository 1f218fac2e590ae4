// Package delivery tells others: files in every export format, signed evidence, search indexes, event
// collectors, chats and webhooks, and the ledger of what was sent.
//
// In: a saved assessment, read page by page, and the target it is for.
// Out: documents and messages; a delivery row that says what the receiver has.
//
// It imports core, platform, assessment, store, and must never import anything else of ours.
package delivery
