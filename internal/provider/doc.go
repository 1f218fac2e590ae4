// Package provider talks to Cloudflare: the client that reads any source, the shared request budget, DNS
// look-ups, recordings of answers, the demo account, and the simulated Cloudflare of the tests.
//
// In: a credential, a budget, and the sources and look-ups to read.
// Out: sections, each a value or the status that explains its absence. Writes require a Grant.
//
// It imports core, platform, and must never import any other package of this module.
package provider
