package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// The variables that turn a test binary into a child process to be killed.
const (
	roleVariable  = "EDGEPOSTURE_STORETEST_ROLE"
	placeVariable = "EDGEPOSTURE_STORETEST_PLACE"
	argVariable   = "EDGEPOSTURE_STORETEST_ARG"
)

// sectionBatch is the number of sections a child writes in one call.
const sectionBatch = 300

// Child must be the first call of TestMain in a package that calls Crash or Migration: those start the
// test binary again as a process they can kill. In such a process Child does its work and returns true;
// TestMain must then return.
func Child(o Opener) bool {
	role := os.Getenv(roleVariable)
	if role == "" {
		return false
	}
	if err := act(context.Background(), o, role); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// say reports one acknowledgement to the parent.
func say(words ...any) { _, _ = fmt.Println(words...) }

func act(ctx context.Context, o Opener, role string) error {
	if role == "migrate" {
		say("begin")
	}
	s, err := o.Open(ctx, os.Getenv(placeVariable))
	if err != nil {
		return err
	}
	switch role {
	case "migrate":
		say("done")
	case "save":
		err = actSave(ctx, s)
	case "enqueue":
		for err == nil {
			var row store.JobRow
			if row, err = actClaim(ctx, s); err == nil {
				say(row.ID)
			}
		}
	case "sections":
		err = actSections(ctx, s)
	case "pack":
		err = actPack(ctx, s)
	case "append":
		err = actAppend(ctx, s)
	default:
		err = fmt.Errorf("no role %q", role)
	}
	if err != nil {
		return err
	}
	return s.Close()
}

func actClaim(ctx context.Context, s store.Store) (store.JobRow, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return store.JobRow{}, err
	}
	n := store.NewJob{ID: id.String(), Kind: posture.JobAssess, Queue: "interactive", CreatedAt: noon()}
	if _, err := s.Enqueue(ctx, n); err != nil {
		return store.JobRow{}, err
	}
	return s.Claim(ctx, n.ID, "child", noon(), lease)
}

func actSave(ctx context.Context, s store.Store) error {
	row, err := actClaim(ctx, s)
	if err != nil {
		return err
	}
	size, err := strconv.Atoi(os.Getenv(argVariable))
	if err != nil {
		return err
	}
	a := posture.Assessment{AssessmentSummary: posture.AssessmentSummary{ID: "report-" + row.ID, JobID: row.ID,
		Account: posture.AccountRef{ID: "account-" + row.ID}, Status: posture.Completed, CompletedAt: noon()}}
	for i := range size {
		a.Findings = append(a.Findings, finding(i))
	}
	in := saveOf(row, a)
	say(row.ID)
	if err := s.Save(ctx, in); err != nil {
		return err
	}
	say("saved")
	return nil
}

func actSections(ctx context.Context, s store.Store) error {
	row, err := actClaim(ctx, s)
	if err != nil {
		return err
	}
	say(row.ID)
	for batch := 0; ; batch++ {
		all := make([]snapshot.Section, 0, sectionBatch)
		for i := range sectionBatch {
			all = append(all, section("s", fmt.Sprintf("%d/%d", batch, i), snapshot.OK, `{"records":[]}`))
		}
		if err := s.PutSections(ctx, row.ID, row.Attempt, all); err != nil {
			return err
		}
		say(batch)
	}
}

// actPack packs all unpacked sections step by step.
func actPack(ctx context.Context, s store.Store) error {
	ids, err := s.Unpacked(ctx)
	for i := 0; err == nil && i < len(ids); {
		var more bool
		if more, err = s.Pack(ctx, ids[i]); !more {
			i++
		}
		say(i)
	}
	return err
}

// actAppend appends to the audit log from several goroutines and reports each sequence number and hash.
func actAppend(ctx context.Context, s store.Store) error {
	_, errs := together(8, func(i int) (any, error) {
		for {
			e, err := s.AppendAudit(ctx, entryOf(i))
			if err != nil {
				return nil, err
			}
			say(fmt.Sprintf("%d:%s", e.Seq, e.Hash))
		}
	})
	return errors.Join(errs...)
}

// child is a process of the test binary that will be killed.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Reader
	log   *strings.Builder
}

func startChild(t testing.TB, o Opener, role, place string, arg ...string) *child {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	c := &child{cmd: exec.Command(binary), log: &strings.Builder{}}
	c.cmd.Env = append(os.Environ(), roleVariable+"="+role, placeVariable+"="+place, argVariable+"="+strings.Join(arg, ""))
	c.cmd.Stderr = c.log
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	c.lines = bufio.NewReader(out)
	require.NoError(t, c.cmd.Start())
	t.Cleanup(func() {
		if c.cmd.ProcessState == nil {
			_ = c.cmd.Process.Kill()
			_ = c.cmd.Wait()
		}
	})
	return c
}

// line waits for the child's next acknowledgement.
func (c *child) line(t testing.TB) string {
	t.Helper()
	line, err := c.lines.ReadString('\n')
	require.NoError(t, err, "the child ended early: %s", c.log)
	return strings.TrimSpace(line)
}

// kill stops the child without giving it a chance to clean up and returns all complete lines it
// printed.
func (c *child) kill(t testing.TB) []string {
	t.Helper()
	_ = c.cmd.Process.Kill() // it may have ended by itself
	rest, err := io.ReadAll(c.lines)
	require.NoError(t, err)
	_ = c.cmd.Wait()
	require.Empty(t, c.log.String())
	whole, _ := cutLast(string(rest))
	return strings.Fields(whole)
}

// cutLast drops what follows the last line break.
func cutLast(s string) (whole, torn string) {
	i := strings.LastIndexByte(s, '\n')
	return s[:i+1], s[i+1:]
}

// killAfter kills the child after n acknowledgements.
func (c *child) killAfter(t testing.TB, n int) []string {
	t.Helper()
	var lines []string
	for range n {
		lines = append(lines, c.line(t))
	}
	return append(lines, c.kill(t)...)
}

// moment picks the time of the i-th of n kills: the time an undisturbed run takes, plus a fifth, is
// divided into n parts, and the kill falls at random within the i-th.
func moment(t testing.TB, i, n int, whole time.Duration) time.Duration {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed of kill %d: %d", i, seed)
	part := whole * 12 / 10 / time.Duration(n)
	return part*time.Duration(i) + time.Duration(rand.New(rand.NewPCG(seed, 0)).Int64N(int64(part)+1))
}

// savedByChild is what a child reported about its save.
type savedByChild struct {
	jobID, assessmentID, account string
	acknowledged                 bool
	elapsed                      time.Duration
}

// saveInChild has a child save a report and kills it after the given time; 0 means never.
func saveInChild(t testing.TB, o Opener, place string, size int, after time.Duration) savedByChild {
	t.Helper()
	c := startChild(t, o, "save", place, strconv.Itoa(size))
	jobID := c.line(t)
	begun := time.Now()
	var rest []string
	if after > 0 {
		<-time.After(after)
		rest = c.kill(t)
	} else {
		rest = append(rest, c.line(t))
	}
	elapsed := time.Since(begun)
	if after == 0 {
		rest = append(rest, c.kill(t)...)
	}
	return savedByChild{jobID: jobID, assessmentID: "report-" + jobID, account: "account-" + jobID,
		acknowledged: len(rest) > 0, elapsed: elapsed}
}
