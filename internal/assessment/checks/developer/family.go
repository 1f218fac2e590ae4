// Package developer holds the checks of the developer platform: scripts, sites
// and the public address of buckets.
package developer
