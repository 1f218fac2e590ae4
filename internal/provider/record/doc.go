// Package record keeps the answers of a provider and of the name system with everything replaced that could tell whose
// account it is, and serves them again. A person with an account hands in a case this way. A record can take changes
// while it is served, as the demo account does.
//
// A text is cut into words. A word of the vocabulary is kept; every other word, address, id and key is replaced, the
// same one by the same one in the whole file, so that names still belong to their zones and ranges hold their
// addresses. What replaced what is in memory only.
package record
