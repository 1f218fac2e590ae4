// Package record stores the answers of a provider and of the DNS with everything replaced that
// could identify the account, and serves them again. People with an account can hand in a case this
// way. A record can accept changes while it is served, as the demo account does.
//
// Text is split into words. Words of the vocabulary are kept; every other word, address, id and key
// is replaced, consistently within the file, so that names still belong to their zones and ranges
// contain their addresses. The mapping is only in memory.
package record
