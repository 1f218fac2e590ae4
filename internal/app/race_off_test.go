//go:build !race

package app_test

const (
	raced = false
	kills = 20
)
