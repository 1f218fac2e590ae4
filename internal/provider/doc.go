// Package provider talks to Cloudflare: the client that reads any source, the shared request budget,
// DNS look-ups, records of answers, the demo account, which is one, and the simulated provider of the tests.
//
// In: a credential, a budget, and the sources and look-ups that are wanted.
// Out: sections: a value or the status that says why there is none. Writes only against a Grant.
//
// It imports core, platform, and must never import any other package of this module.
package provider
