-- KEYS: log (grants by time), state, flight (unanswered grants), jobs (hungry
-- jobs by last request), served (grants per hungry job).
-- ARGV: now in µs or 0, window in µs, limit, job, grants kept for others.
-- Answer: {grant id, 0} or {0, wait in µs}.
local now = tonumber(ARGV[1])
if now == 0 then
  local t = redis.call('TIME')
  now = tonumber(t[1]) * 1000000 + tonumber(t[2])
end
local function exact(x) return string.format('%.0f', x) end
local window, limit, job, kept = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local ttl = math.ceil(window / 1000) * 2

local blocked = tonumber(redis.call('HGET', KEYS[2], 'blocked') or '0')
if blocked > now then return {0, blocked - now} end

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', exact(now - window))
local used = redis.call('ZCARD', KEYS[1])
if used >= limit then
  local at = redis.call('ZRANGE', KEYS[1], used - limit, used - limit, 'WITHSCORES')
  return {0, math.max(1000, tonumber(at[2]) + window - now)}
end

-- What the provider said is left, less what was granted since it said so.
local reset = tonumber(redis.call('HGET', KEYS[2], 'reset') or '0')
if reset > now then
  local left = tonumber(redis.call('HGET', KEYS[2], 'left')) -
    (tonumber(redis.call('HGET', KEYS[2], 'seq') or '0') - tonumber(redis.call('HGET', KEYS[2], 'at')))
  if left <= kept then
    -- Answers still on their way may show that more is left.
    if redis.call('ZCARD', KEYS[3]) > 0 then return {0, math.min(reset - now, 100000)} end
    return {0, math.max(1000, reset - now)}
  end
end

-- Fair between jobs: nobody may be more than 16 grants ahead of a job that
-- asked within the last two seconds. A newcomer starts level with the least.
-- What belongs to no job is a question or two, and holds nobody up.
if job ~= '' then
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', exact(now - 2000000))
  local least, mine = nil, tonumber(redis.call('HGET', KEYS[5], job) or '-1')
  for _, j in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
    if j ~= job then
      local n = tonumber(redis.call('HGET', KEYS[5], j) or '0')
      if least == nil or n < least then least = n end
    end
  end
  if not redis.call('ZSCORE', KEYS[4], job) or mine < 0 then
    mine = math.max(mine, least or 0)
  end
  redis.call('ZADD', KEYS[4], exact(now), job)
  if least == nil then redis.call('DEL', KEYS[5]) mine = 0 end
  if least ~= nil and mine - least >= 16 then
    redis.call('HSET', KEYS[5], job, mine)
    return {0, 50000}
  end
  redis.call('HSET', KEYS[5], job, mine + 1)
end

local id = redis.call('HINCRBY', KEYS[2], 'seq', 1)
redis.call('ZADD', KEYS[1], exact(now), id)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', exact(now - 120000000))
redis.call('ZADD', KEYS[3], exact(now), id)
for i = 1, 5 do redis.call('PEXPIRE', KEYS[i], ttl) end
return {id, 0}
