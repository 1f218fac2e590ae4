// Package queue delivers jobs to workers with asynq. The store is the truth: a
// task in Redis is a doorbell that carries a job id and nothing else, and a lost
// or doubled one does no harm. A worker claims the job in the store, keeps its
// lease, and ends it; a reconciler rings again for whatever nobody is at.
package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
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

const taskType = "job"

// doorbellLife bounds how long asynq lets a handler run. The lease, not this,
// decides who holds a job; it only has to be longer than any run.
const doorbellLife = 24 * time.Hour

// Doorbell rings workers. It is safe for concurrent use.
type Doorbell struct{ client *asynq.Client }

// NewDoorbell makes a doorbell on a Redis connection, which stays the caller's.
func NewDoorbell(rdb redis.UniversalClient) *Doorbell {
	return &Doorbell{client: asynq.NewClientFromRedisClient(rdb)}
}

// Ring tells the workers that a job waits. Ringing twice for the same attempt is
// one task. An error means that Redis did not take it; the reconciler will ring
// again, so a caller may go on.
func (d *Doorbell) Ring(ctx context.Context, j store.JobRow) error {
	return d.ring(ctx, j, strconv.Itoa(j.Attempt+1))
}

// RingAgain rings for a job whose earlier doorbell got lost in a way that may
// have left its task behind in Redis.
func (d *Doorbell) RingAgain(ctx context.Context, j store.JobRow, now time.Time) error {
	return d.ring(ctx, j, strconv.Itoa(j.Attempt+1)+":"+strconv.FormatInt(now.Unix(), 10))
}

func (d *Doorbell) ring(ctx context.Context, j store.JobRow, suffix string) error {
	queue := j.Queue
	if queue == "" {
		queue = Interactive
	}
	_, err := d.client.EnqueueContext(ctx, asynq.NewTask(taskType, []byte(j.ID)),
		asynq.TaskID(j.ID+":"+suffix), asynq.Queue(queue), asynq.MaxRetry(1), asynq.Timeout(doorbellLife))
	if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) {
		return fmt.Errorf("ring for job %s: %w", j.ID, err)
	}
	return nil
}
