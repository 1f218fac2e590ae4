// Package network holds the checks of site tunnels, the network firewall and name servers.
package network

func is(b *bool) bool { return b != nil && *b }
