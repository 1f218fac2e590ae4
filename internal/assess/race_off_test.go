//go:build !race

package assess

const raced = false
