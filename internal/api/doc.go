// Package api is what callers see: the HTTP API with its single table of routes, its client, the tools for
// language models (MCP), and the reference pages generated from the catalogue.
//
// In: requests, which are untrusted until the checks in fence.go have admitted them.
// Out: answers in the shapes of the OpenAPI document, and problems in one sentence.
//
// It imports core, platform, provider, assessment, store, delivery, engine, and must never import any
// other package of this module.
package api
