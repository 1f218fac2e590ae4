package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// makePrivate takes from everybody else what earlier umasks, copies and volumes gave them of
// the data directory and of what lies in it: keys, settings and the database. A directory of
// somebody else may be open to a group, which is how volumes are shared with a container.
func (a *App) makePrivate(dir string) error {
	open := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // what another step removes while this one looks
		}
		if err != nil {
			return err
		}
		if path != dir && !e.Type().IsRegular() && !e.IsDir() {
			return nil
		}
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		mode := info.Mode().Perm()
		if mode&0o077 == 0 {
			return nil
		}
		if !e.IsDir() || mode&0o022 != 0 { // that a directory could be listed is no news
			open++
		}
		if err := os.Chmod(path, mode&0o700); err != nil && (mode&0o007 != 0 || !e.IsDir()) {
			return fmt.Errorf("%s is open to other users (%04o) and cannot be closed (%w); take their permissions away, for example with: chmod go= %s", path, mode, rootOf(err), path)
		}
		return nil
	})
	if err == nil && open > 0 {
		a.o.Log.Warn("the data directory was open to other users of this machine, who may have read its keys; it is closed now", "directory", dir, "files", open)
	}
	return err
}
