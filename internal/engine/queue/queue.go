// Package queue delivers jobs to workers with asynq. The store is the truth: it
// decides which job is due, who may run it and until when. A task in Redis says
// only that something waits in a queue; a lost, doubled or outdated one does no
// harm. Redis may be empty, full, slow or away, and the worst that follows is
// that jobs wait.
package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/edgeposture/edgeposture/internal/store"
)

// The queues by priority.
const (
	Interactive = "interactive" // somebody waits
	Scheduled   = "scheduled"
	Delivery    = "delivery"
)

func queues() []string { return []string{Interactive, Delivery, Scheduled} }

const taskType = "job"

// taskTimeout bounds how long asynq lets a handler run. The lease, not this,
// decides who holds a job; it only has to be longer than any run.
const taskTimeout = 24 * time.Hour

// mostPending bounds the tasks that wait in one queue of Redis for the sake of new
// jobs: beyond it the workers, which look into the store, add what they can take.
const mostPending = 32

// Notifier tells workers that jobs wait. It is safe for concurrent use.
type Notifier struct {
	client *asynq.Client
	rdb    redis.UniversalClient
}

// NewNotifier makes a notifier on a Redis connection, which stays the caller's.
func NewNotifier(rdb redis.UniversalClient) *Notifier {
	return &Notifier{client: asynq.NewClientFromRedisClient(rdb), rdb: rdb}
}

// Notify tells the workers that a job waits, unless enough tasks do already. An
// error means that Redis did not take it; workers find the job in the store within
// a second, so a caller may go on.
func (n *Notifier) Notify(ctx context.Context, j store.JobRow) error {
	queue := j.Queue
	if queue == "" {
		queue = Interactive
	}
	return n.fill(ctx, queue, []string{j.ID}, mostPending)
}

// fill adds tasks to a queue for jobs, until so many tasks wait there.
func (n *Notifier) fill(ctx context.Context, queue string, jobIDs []string, most int) error {
	pending, err := n.rdb.LLen(ctx, pendingKey(queue)).Result()
	if err != nil {
		return fmt.Errorf("ask Redis how many tasks wait: %w", withoutAddress(err))
	}
	for _, id := range jobIDs[:min(len(jobIDs), max(0, most-int(pending)))] {
		// A task that is lost with its worker is not tried again: the store knows the job.
		_, err := n.client.EnqueueContext(ctx, asynq.NewTask(taskType, []byte(id)), asynq.Queue(queue), asynq.MaxRetry(0),
			asynq.Timeout(taskTimeout))
		if err != nil {
			return fmt.Errorf("add a task for job %s to Redis: %w", id, withoutAddress(err))
		}
	}
	return nil
}

// pendingKey is asynq's list of the tasks of a queue that wait.
func pendingKey(queue string) string { return "asynq:{" + queue + "}:pending" }
