// Package network holds the checks of sites, packets and name servers.
package network

func is(b *bool) bool { return b != nil && *b }
