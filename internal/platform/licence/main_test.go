package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLicences(t *testing.T) {
	t.Chdir("../../..")
	text, err := licences()
	require.NoError(t, err)
	for _, said := range []string{"\ngithub.com/hibiken/asynq v", "\ngithub.com/gofiber/fiber/v2 v", "\nmodernc.org/sqlite v",
		"Permission is hereby granted", "Redistribution and use in source and binary forms"} {
		require.Contains(t, string(text), said)
	}
}

func TestLicenceFiles(t *testing.T) {
	dir := t.TempDir()
	_, err := licenceFiles(dir)
	require.ErrorContains(t, err, "holds none")
	for _, name := range []string{"LICENSE", "LICENSE-3RD-PARTY.md", "NOTICE", "Licence.txt", "COPYING", "main.go", "relicense.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "licenses"), 0o700))
	files, err := licenceFiles(dir)
	require.NoError(t, err)
	require.Len(t, files, 5)
}
