-- One exchange of a worker with the budget of a credential: what the answers to
-- earlier requests told, grants that come back unused, and a demand for more.
-- KEYS: grants (a list of time:first id:number, in the order of time unless the clock was
-- set back), state (what the provider told, how many grants are in the list, and of each
-- hungry job the time of its last request and its grants so far), flight (unanswered grants).
-- ARGV: now in µs or 0, window in µs, limit, job, grants kept for others, grants
-- wanted or -1 when the job asks for no more, and how many of the grants that are to come
-- must be free before a long wait is worth ending; then an entry of the list, or '', of which the number of ids
-- that follow come back unused, and these; then of each answer: grant id, remaining
-- or -1, reset in µs, retry-after in µs.
-- Answer: {first grant id, number, entry of the list} or {0, wait in µs}; {0, 0} when
-- none are wanted.
local now = tonumber(ARGV[1])
if now == 0 then
  local t = redis.call('TIME')
  now = tonumber(t[1]) * 1000000 + tonumber(t[2])
end
local function exact(x) return string.format('%.0f', x) end
local window, limit, job, kept = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local wanted, ahead, entry, unused = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8], tonumber(ARGV[9])

local state, jobs, all = {}, {}, redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  local name = string.match(all[i], '^job:(.*)$')
  if name then jobs[name] = all[i + 1] else state[all[i]] = tonumber(all[i + 1]) end
end
local blocked, left, at, seq = state.blocked or 0, state.left or 0, state.at or 0, state.seq or 0
local low, reset, used = state.low or 1e9, state.reset or 0, state.used or 0
local changed = {}
local function keep(name, value) changed[#changed + 1] = name changed[#changed + 1] = exact(value) end

local function parts(e)
  local at, first, number = string.match(e, '^(%d+):(%d+):(%d+)$')
  return tonumber(at), first, tonumber(number)
end
local over = {}
for i = 10, 9 + unused do over[#over + 1] = ARGV[i] end
if unused > 0 then
  local given, first, number = parts(entry)
  if number > unused then -- the rest stays in its place: a newer one before it would hide that it is over
    redis.call('LINSERT', KEYS[1], 'BEFORE', entry, exact(given) .. ':' .. first .. ':' .. exact(number - unused))
  end
  if redis.call('LREM', KEYS[1], -1, entry) > 0 then
    left, used = left + unused, used - unused
    keep('left', left) keep('used', used)
  end
end
for i = 10 + unused, #ARGV, 4 do over[#over + 1] = ARGV[i] end
if #over > 0 then redis.call('ZREM', KEYS[3], unpack(over)) end

local flight = nil
local function underway()
  if not flight then
    redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', exact(now - 120000000))
    flight = redis.call('ZCARD', KEYS[3])
  end
  return flight
end
for i = 10 + unused, #ARGV, 4 do
  local remaining, till, retry = tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3])
  if now + retry > blocked and retry > 0 then
    blocked = now + retry
    keep('blocked', blocked)
  end
  if remaining >= 0 and till > 0 then
    -- Within one window the provider's count only falls, so an answer that says
    -- a little more than an earlier one is older than it and tells nothing new;
    -- one that says much more than is explained by answers that overtook each
    -- other is news. What is still on its way may not be counted yet.
    local same = reset > now and math.abs(reset - (now + till)) < 3000000
    if not same or remaining < low or remaining > left - (seq - at) + underway() + 128 then
      if same then till = math.max(till, reset - now) end
      low, left, reset, at = remaining, remaining - underway(), now + till, seq
      keep('low', low) keep('left', left) keep('reset', reset) keep('at', at)
    end
  end
end

local function close(first, second, third)
  if #changed > 0 then
    redis.call('HSET', KEYS[2], unpack(changed))
    redis.call('PEXPIRE', KEYS[2], math.ceil(window / 500))
  end
  return {first, second, third}
end
if wanted < 0 then redis.call('HDEL', KEYS[2], 'job:' .. job) end
if wanted <= 0 then return close(0, 0) end
if blocked > now then return close(0, blocked - now) end

local head, gone
repeat
  head, gone = redis.call('LRANGE', KEYS[1], 0, 15), 0
  while head[gone + 1] do
    local given, _, number = parts(head[gone + 1])
    if given > now - window then break end
    used, gone = used - number, gone + 1
  end
  if gone > 0 then
    redis.call('LTRIM', KEYS[1], gone, -1)
    keep('used', used)
  end
until gone == 0 or gone < #head
if #head == 0 and used ~= 0 then
  used = 0
  keep('used', used)
end
if used >= limit then
  local free, last = 0, 0
  for _, e in ipairs(redis.call('LRANGE', KEYS[1], 0, used)) do
    local given, _, number = parts(e)
    free, last = free + number, math.max(last, given) -- a clock set back puts old ones behind newer
    if free >= math.min(used - limit + ahead, used) then break end
  end
  return close(0, math.max(1000, last + window - now))
end
local many = math.min(wanted, limit - used)

-- What the provider said is left, less what was granted since it said so.
if reset > now then
  local more = left - (seq - at) - kept
  if more <= 0 then
    -- Answers still on their way may show that more is left.
    if underway() > 0 then return close(0, math.min(reset - now, 100000)) end
    return close(0, math.max(1000, reset - now))
  end
  many = math.min(many, more)
end

-- Fair between jobs: nobody may be more than 16 grants ahead of a job that
-- asked within the last two seconds. A newcomer starts level with the least.
-- What belongs to no job is a question or two, and holds nobody up.
if job ~= '' then
  local least, mine, idle = nil, nil, {}
  for name, share in pairs(jobs) do
    local asked, served = string.match(share, '^(%d+):(%d+)$')
    asked, served = tonumber(asked), tonumber(served)
    if asked <= now - 2000000 then
      idle[#idle + 1] = 'job:' .. name
    elseif name == job then
      mine = served
    else
      least = math.min(least or served, served)
    end
  end
  if #idle > 0 then redis.call('HDEL', KEYS[2], unpack(idle)) end
  mine = least and (mine or least) or 0
  if least then many = math.min(many, 16 + least - mine) end
  changed[#changed + 1] = 'job:' .. job
  changed[#changed + 1] = exact(now) .. ':' .. exact(mine + math.max(many, 0))
  if many <= 0 then return close(0, 50000) end
end

local granted = {}
for i = 1, many do
  granted[#granted + 1] = exact(now)
  granted[#granted + 1] = exact(seq + i)
end
entry = exact(now) .. ':' .. exact(seq + 1) .. ':' .. exact(many)
redis.call('RPUSH', KEYS[1], entry)
redis.call('ZADD', KEYS[3], unpack(granted))
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 500))
redis.call('PEXPIRE', KEYS[3], 240000)
keep('seq', seq + many) keep('used', used + many)
return close(seq + 1, many, entry)
