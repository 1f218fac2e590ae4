// Package api is what callers see: the HTTP API with its one table of routes, the client of it, the
// tools for models (MCP), and the reference pages written from the catalogue.
//
// In: requests, of which nothing is trusted before the fence has let them through.
// Out: answers in the shapes of the OpenAPI document, problems in one sentence.
//
// It imports core, platform, provider, assessment, store, delivery, engine, and must never import any other package of this module.
package api
