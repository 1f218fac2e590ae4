//go:build !race

package planner

const raced = false
