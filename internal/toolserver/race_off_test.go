//go:build !race

package toolserver_test

const raced = false
