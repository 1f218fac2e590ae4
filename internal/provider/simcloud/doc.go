// Package simcloud is a simulated Cloudflare API on loopback.
//
// It serves the same paths, envelopes, page sizes, error codes and request limits as the public
// API, from accounts that are generated from a seed. Every misconfiguration is planted by one
// function of the table [Plants], so the set of findings a correct assessment must report is known
// beforehand (see [Cloud.Truth]). The tests, the benchmarks and the recording of the demo account
// use it. Nothing that is shipped does, and it never uses the network beyond loopback.
//
// Shapes follow https://developers.cloudflare.com/api/. Everything is deterministic for a given
// [Options] value: ids, names, dates (relative to Options.Now at [New]), injected faults and the
// order of every list.
package simcloud
