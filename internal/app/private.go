package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// makePrivate removes the permissions of all other users that earlier umasks, copies and volumes
// left on the data directory and its contents: keys, settings and the database. A directory owned
// by somebody else may stay open to a group, which is how volumes are shared with a container.
func (a *App) makePrivate(dir string) error {
	root, err := os.OpenRoot(dir) // a symlink placed meanwhile cannot lead outside
	if err != nil {
		return fmt.Errorf("DATA_DIR cannot be looked at: %w", rootOf(err))
	}
	defer func() { _ = root.Close() }() // nothing was written
	open := 0
	err = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil {
			info, err = e.Info()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil // deleted meanwhile, or unreadable for us too, like lost+found of a volume
		case err != nil:
			return fmt.Errorf("DATA_DIR cannot be looked at: %w", rootOf(err))
		case !e.Type().IsRegular() && !e.IsDir():
			return nil
		}
		mode := info.Mode().Perm()
		if mode&0o077 == 0 {
			return nil
		}
		if !e.IsDir() || mode&0o022 != 0 { // a listable directory alone is not an exposure
			open++
		}
		if err := root.Chmod(path, mode&0o700); err != nil && (mode&0o007 != 0 || !e.IsDir()) {
			path = filepath.Join(dir, path)
			return fmt.Errorf("%s is open to other users (%04o) and cannot be closed (%w); take their permissions away, for example with: chmod "+
				"go= %s", path, mode, rootOf(err), path)
		}
		return nil
	})
	if err == nil && open > 0 {
		a.o.Log.Warn("the data directory was open to other users of this machine, who may have read its keys; it is closed now", "directory",
			dir, "files", open)
	}
	return err
}
