//go:build !race

package export

const Raced = false
