// Package merkle is the hash tree of RFC 6962, section 2.1, over SHA-256: leaves and nodes are
// hashed with different prefixes, so that no node can pass for a leaf. It is pure.
package merkle

import (
	"crypto/sha256"
	"hash"
)

// Size is the length of every hash in bytes.
const Size = sha256.Size

// Hash is the hash of a leaf, a node or a root.
type Hash = [Size]byte

// NewLeaf returns a hash to which the data of a leaf is written; its sum is the leaf.
func NewLeaf() hash.Hash {
	h := sha256.New()
	_, _ = h.Write([]byte{0}) // writing to a hash never fails
	return h
}

// Leaf hashes the data of one leaf.
func Leaf(data []byte) Hash {
	h := NewLeaf()
	_, _ = h.Write(data)
	return Hash(h.Sum(nil))
}

func node(left, right Hash) Hash {
	var b [1 + 2*Size]byte
	b[0] = 1
	copy(b[1:], left[:])
	copy(b[1+Size:], right[:])
	return sha256.Sum256(b[:])
}

// Root is the root over the leaves in order. For no leaves it is the hash of the empty string.
func Root(leaves []Hash) Hash {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return leaves[0]
	}
	k := split(len(leaves))
	return node(Root(leaves[:k]), Root(leaves[k:]))
}

// split returns the largest power of two below n; n must be at least 2.
func split(n int) int {
	k := 1
	for k<<1 < n {
		k <<= 1
	}
	return k
}

// Path returns the audit path from leaf i to the root, lowest hash first. i must be the index of a
// leaf.
func Path(leaves []Hash, i int) []Hash {
	if len(leaves) == 1 {
		return nil
	}
	k := split(len(leaves))
	if i < k {
		return append(Path(leaves[:k], i), Root(leaves[k:]))
	}
	return append(Path(leaves[k:], i-k), Root(leaves[:k]))
}

// Proves reports whether path leads from leaf i of n to the root.
func Proves(leaf Hash, i, n int, path []Hash, root Hash) bool {
	if i < 0 || i >= n {
		return false
	}
	got, rest, ok := climb(leaf, i, n, path)
	return ok && len(rest) == 0 && got == root
}

// climb returns the root of the n leaves around leaf i, and the part of the path above it.
func climb(leaf Hash, i, n int, path []Hash) (Hash, []Hash, bool) {
	if n == 1 {
		return leaf, path, true
	}
	k := split(n)
	var below Hash
	var ok bool
	if i < k {
		below, path, ok = climb(leaf, i, k, path)
	} else {
		below, path, ok = climb(leaf, i-k, n-k, path)
	}
	if !ok || len(path) == 0 {
		return Hash{}, nil, false
	}
	if i < k {
		return node(below, path[0]), path[1:], true
	}
	return node(path[0], below), path[1:], true
}
