// Package web carries the built dashboard.
package web

import (
	"embed"
	"io/fs"
)

// A checkout without a build holds only dist/.keep, which is enough to compile.
//
//go:embed all:dist
var dist embed.FS

// FS returns the files of the built dashboard, index.html at its root. Without
// a build that file is absent, and the caller says so.
func FS() (fs.FS, error) { return fs.Sub(dist, "dist") }
