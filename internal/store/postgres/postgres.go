// Package postgres opens the store in a PostgreSQL database. It is the only
// package that knows the PostgreSQL driver.
package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/relational"
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed migrations/go/00013_finding_state.sql
var findingState string

// The limits of one process. By default a server allows 100 connections, enough for an API process and
// a few workers.
const (
	maxConns       = 16
	connLife       = 30 * time.Minute
	idleLife       = 5 * time.Minute
	connectTimeout = 10 * time.Second
)

// byteForm is the setting of how the server writes bytes, which poolers refuse as they do the limits.
const byteForm = "bytea_output"

// limits are the session settings, in milliseconds, by which the server keeps a lost client or a bad
// plan from holding locks for long.
func limits() map[string]string {
	return map[string]string{"statement_timeout": "30000", "idle_in_transaction_session_timeout": "15000"}
}

// Open connects to the database at url (postgres://user:password@host/name), migrates it to the newest
// schema and returns the store on it. Several processes may open one database, also at the same time.
// The caller closes the store. Errors never contain the password.
func Open(ctx context.Context, url string) (store.Store, error) {
	cfg, err := config(url)
	if err != nil {
		return nil, err
	}
	err = migrateAll(ctx, cfg)
	if refusesLimits(err) {
		// A pooler in between hands out connections that others have used, and refuses these settings.
		for name := range limits() {
			delete(cfg.RuntimeParams, name)
		}
		delete(cfg.RuntimeParams, byteForm)
		err = migrateAll(ctx, cfg)
	}
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", explain(redact(err, cfg.Password)))
	}
	db := bun.NewDB(pool(cfg), pgdialect.New(), bun.WithDiscardUnknownColumns())
	engine := relational.Engine{Name: "postgres", Find: "strpos", Match: match, Lock: " FOR UPDATE", Share: " FOR SHARE",
		Keep: " FOR KEY SHARE", Skip: " FOR NO KEY UPDATE SKIP LOCKED", Arrays: true,
		Clock: "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint", Again: again,
		Explain: func(err error) error { return explain(redact(err, cfg.Password)) }}
	return relational.New(engine, db, db), nil
}

// match is written so that the trigram index applies, where there is one.
func match(part string) (condition, argument string) {
	return "search LIKE ?", "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(part) + "%"
}

func config(url string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		// The parser's own message may repeat parts of the URL.
		return nil, errors.New("open the database: the URL is not of the form postgres://user:password@host:5432/name?sslmode=require")
	}
	// bun writes the values into the statement, so every statement is different and preparing and
	// caching them would only cost.
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	preset := limits()
	preset["application_name"] = "edgeposture"
	for name, value := range preset {
		if _, chosen := cfg.RuntimeParams[name]; !chosen {
			cfg.RuntimeParams[name] = value
		}
	}
	// What the statements and the reading of their results rely on, whatever a role or a database has as its default: how bun quotes
	// values, that no text is converted, and how the driver reads bytes.
	cfg.RuntimeParams["standard_conforming_strings"] = "on"
	cfg.RuntimeParams["client_encoding"] = "SQL_ASCII"
	cfg.RuntimeParams[byteForm] = "hex"
	return cfg, nil
}

func pool(cfg *pgx.ConnConfig) *sql.DB {
	db := stdlib.OpenDB(*cfg)
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns) // a new connection costs the server more than a small job's statements
	db.SetConnMaxLifetime(connLife)
	db.SetConnMaxIdleTime(idleLife)
	return db
}

// migrateAll uses its own connections: a migration may take longer than the statement timeout of the
// service.
func migrateAll(ctx context.Context, cfg *pgx.ConnConfig) error {
	slow := cfg.Copy()
	for name := range limits() {
		if _, limited := slow.RuntimeParams[name]; limited {
			slow.RuntimeParams[name] = "0"
		}
	}
	db := stdlib.OpenDB(*slow)
	p, err := provider(db)
	if err == nil {
		err = alone(ctx, db, func() error { return migrate(ctx, p) })
	}
	return errors.Join(err, db.Close())
}

// The lock of the migrations. It belongs to a transaction, because behind a pooler a session is shared;
// and waiters poll instead of blocking in it, which would take the connections of a small pool from the
// process that migrates.
const (
	migrationLock = 5887940537704921958
	migrationWait = 5 * time.Minute
	migrationLook = 200 * time.Millisecond
)

// alone runs fn while no other process does. A lost connection releases the lock.
func alone(ctx context.Context, db *sql.DB, fn func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, migrationWait, errors.New("another process has been at it for five minutes"))
	defer cancel()
	again := time.NewTicker(migrationLook)
	defer again.Stop()
	for {
		done, err := tryAlone(ctx, db, fn)
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the lock of the migrations: %w", context.Cause(ctx))
		case <-again.C:
		}
	}
}

func tryAlone(ctx context.Context, db *sql.DB, fn func() error) (done bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("take the lock of the migrations: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // it has changed nothing
	if err := tx.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock($1)", migrationLock).Scan(&done); err != nil {
		return false, fmt.Errorf("take the lock of the migrations: %w", err)
	}
	if !done {
		return false, nil
	}
	if _, err := db.ExecContext(ctx, commitsEnded); err != nil {
		return true, fmt.Errorf("wait for the last commit of a process that ended: %w", err)
	}
	return true, fn()
}

// commitsEnded returns when no transaction that has written a version is under way. A process that is killed
// right after its last statement leaves a commit, with which the server goes on: the version of the schema is
// not to be read before.
const commitsEnded = `DO $$ BEGIN
	IF to_regclass('` + goose.DefaultTablename + `') IS NOT NULL THEN LOCK TABLE ` + goose.DefaultTablename + ` IN SHARE MODE; END IF;
END $$`

func provider(db *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	onBun := bun.NewDB(db, pgdialect.New())
	fill := goose.NewGoMigration(13, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		return relational.FillStates(ctx, onBun, tx, findingState)
	}}, nil)
	p, err := goose.NewProvider(goose.DialectPostgres, db, dir,
		goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(fill))
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return p, nil
}

func migrate(ctx context.Context, p *goose.Provider) error {
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema to the newest version: %w", err)
	}
	has, knows, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the version of the schema: %w", err)
	}
	if has > knows {
		return fmt.Errorf("its schema has version %d and this program knows only %d; start a newer version of the program", has, knows)
	}
	return nil
}
