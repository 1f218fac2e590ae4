//go:build !race

package simcloud

const raced = false
