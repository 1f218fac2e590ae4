package command

import (
	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/app"
)

// processes returns the commands that run as long as a container does. They are configured by the
// environment, not by flags.
func (p *program) processes() []*cobra.Command {
	serves, works := app.Role{API: true, Worker: true}, app.Role{Worker: true}
	serve := p.process("serve", "Run the service: API, dashboard and, without DATABASE_URL and REDIS_URL, the worker", serves)
	serve.AddCommand(p.process("health", "Check that the service on this host answers (needs PORT)", serves, "health"))
	worker := p.process("worker", "Run a worker of a distributed deployment; start as many as you need", works)
	worker.AddCommand(p.process("health", "Check that a worker on this host is alive", works, "health"))
	return []*cobra.Command{serve, worker, p.process("migrate", "Migrate the database to the newest schema", serves, "migrate")}
}

func (p *program) process(use, short string, role app.Role, mode ...string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		if code := app.Run(role, mode, p.environ, p.out, p.errs); code != exitFine {
			return ending(code, "") // it has already said why
		}
		return nil
	}}
}
