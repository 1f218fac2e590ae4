//go:build !race

package notify_test

const raced = false
