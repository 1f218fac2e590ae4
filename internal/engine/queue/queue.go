// Package queue delivers jobs to workers with asynq. The store is the source of truth: it decides which
// job is due, who may run it and until when. A task in Redis only signals that something waits in a
// queue; a lost, duplicate or outdated task does no harm. If Redis is empty, full, slow or down, the
// worst effect is that jobs wait.
package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/edgeposture/edgeposture/internal/store"
)

// The queues.
const (
	Interactive = "interactive" // a person waits
	Scheduled   = "scheduled"
	Delivery    = "delivery"
)

func queues() []string { return []string{Interactive, Delivery, Scheduled} }

const taskType = "job"

// taskTimeout bounds how long asynq lets a handler run. The lease decides who holds a job; the timeout
// only has to be longer than any run.
const taskTimeout = 24 * time.Hour

// mostPending bounds the tasks that Notify adds to one Redis queue: beyond it the workers, which poll
// the store, add what they can take.
const mostPending = 32

// Notifier signals workers that jobs wait. It is safe for concurrent use.
type Notifier struct {
	client *asynq.Client
	rdb    redis.UniversalClient
}

// NewNotifier makes a notifier on a Redis connection, which the caller keeps and closes.
func NewNotifier(rdb redis.UniversalClient) *Notifier {
	return &Notifier{client: asynq.NewClientFromRedisClient(rdb), rdb: rdb}
}

// Notify signals the workers that a job waits, unless enough tasks are pending already. An error means
// that Redis did not take it; workers find the job in the store within a second, so a caller may
// continue.
func (n *Notifier) Notify(ctx context.Context, j store.JobRow) error {
	queue := j.Queue
	if queue == "" {
		queue = Interactive
	}
	return n.fill(ctx, queue, []string{j.ID}, mostPending)
}

// fill adds tasks for jobs to a queue until most tasks are pending there.
func (n *Notifier) fill(ctx context.Context, queue string, jobIDs []string, most int) error {
	pending, err := n.rdb.LLen(ctx, pendingKey(queue)).Result()
	if err != nil {
		return fmt.Errorf("ask Redis how many tasks wait: %w", withoutAddress(err))
	}
	for _, id := range jobIDs[:min(len(jobIDs), max(0, most-int(pending)))] {
		// No asynq retry: if a worker dies, the store still holds the job and re-queues it.
		_, err := n.client.EnqueueContext(ctx, asynq.NewTask(taskType, []byte(id)), asynq.Queue(queue), asynq.MaxRetry(0),
			asynq.Timeout(taskTimeout))
		if err != nil {
			return fmt.Errorf("add a task for job %s to Redis: %w", id, withoutAddress(err))
		}
	}
	return nil
}

// pendingKey is asynq's list of the pending tasks of a queue.
func pendingKey(queue string) string { return "asynq:{" + queue + "}:pending" }
