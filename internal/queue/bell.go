package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hibiken/asynq"

	"github.com/edgeposture/edgeposture/jobs"
)

// Schedules fires repeated runs; jobs.Scheduler does.
type Schedules interface {
	// Sweep fires whatever is due.
	Sweep(ctx context.Context) error
	// Fire fires one schedule if it is due.
	Fire(ctx context.Context, scheduleID string) error
	// Bells lists when to remind of which schedule.
	Bells(ctx context.Context) ([]jobs.Bell, error)
}

const bellType = "schedule"

// bell is the payload of a reminder. It decides nothing: the store does.
type bell struct {
	Schedule string    `json:"schedule"`
	Due      time.Time `json:"due"`
}

// Every worker winds the same bells; the id of a task lets Redis take one of each
// due time, and remembers it for as long as clocks may differ.
const bellMemory = 10 * time.Minute

// bells feeds asynq's periodic tasks from the store.
type bells struct{ o Options }

// GetConfigs implements asynq.PeriodicTaskConfigProvider. The due time is part of
// the payload, so a bell is replaced once it has rung.
func (b bells) GetConfigs() ([]*asynq.PeriodicTaskConfig, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	list, err := b.o.Schedules.Bells(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*asynq.PeriodicTaskConfig, 0, len(list))
	for _, l := range list {
		payload, err := json.Marshal(bell{Schedule: l.ScheduleID, Due: l.Due})
		if err != nil {
			return nil, fmt.Errorf("write a bell: %w", err)
		}
		out = append(out, &asynq.PeriodicTaskConfig{Cronspec: "CRON_TZ=" + zoneOf(l.Zone) + " " + l.Cron, Task: asynq.NewTask(bellType, payload),
			Opts: []asynq.Option{asynq.TaskID(fmt.Sprintf("%s:%s:%d", bellType, l.ScheduleID, l.Due.Unix())), asynq.Queue(Scheduled), asynq.MaxRetry(0),
				asynq.Timeout(time.Minute), asynq.ProcessIn(l.Delay), asynq.Retention(bellMemory)}})
	}
	return out, nil
}

func zoneOf(name string) string {
	if name == "" {
		return "UTC"
	}
	return name
}

// wind starts the bells of a worker. Their clock is that of the machine; whether
// something is due is asked of the clock of the worker.
func (w *Worker) wind() error {
	manager, err := asynq.NewPeriodicTaskManager(asynq.PeriodicTaskManagerOpts{PeriodicTaskConfigProvider: bells{w.o}, RedisUniversalClient: w.o.Redis, SyncInterval: w.o.Wind,
		SchedulerOpts: &asynq.SchedulerOpts{Logger: silent{quiet{w.o.Log}}, LogLevel: asynq.WarnLevel, Location: time.UTC}})
	if err != nil {
		return fmt.Errorf("make the bells of schedules: %w", err)
	}
	if err := manager.Start(); err != nil {
		return fmt.Errorf("wind the bells of schedules: %w", err)
	}
	w.bells = manager
	return nil
}

// ringSchedule answers a bell.
func (w *Worker) ringSchedule(ctx context.Context, t *asynq.Task) error {
	var b bell
	if err := json.Unmarshal(t.Payload(), &b); err != nil {
		return nil //nolint:nilerr // not ours; there is nothing to try again
	}
	if err := w.o.Schedules.Fire(ctx, b.Schedule); err != nil && ctx.Err() == nil {
		w.o.Log.Warn("a schedule could not be fired; the next sweep tries again", "schedule", b.Schedule, "error", err)
	}
	return nil
}

// sweep fires what is due until the worker stops, whether a bell rang or not.
func (w *Worker) sweep() {
	tick := time.NewTicker(w.o.Sweep)
	defer tick.Stop()
	for {
		if err := w.o.Schedules.Sweep(w.draining); err != nil && w.draining.Err() == nil {
			w.o.Log.Warn("schedules could not be fired; trying again", "error", err)
		}
		select {
		case <-w.draining.Done():
			return
		case <-tick.C:
		}
	}
}

// silent keeps the troubles of bells out of the log: the sweep makes up for them.
type silent struct{ quiet }

func (s silent) Warn(args ...any)  { s.Debug(args...) }
func (s silent) Error(args ...any) { s.Debug(args...) }
