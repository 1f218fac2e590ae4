-- KEYS as in acquire.lua. ARGV: now in µs or 0, grant id, remaining or -1,
-- reset in µs, retry-after in µs.
local now = tonumber(ARGV[1])
if now == 0 then
  local t = redis.call('TIME')
  now = tonumber(t[1]) * 1000000 + tonumber(t[2])
end
redis.call('ZREM', KEYS[3], ARGV[2])
local remaining, reset, retry = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
if retry > 0 then
  local blocked = tonumber(redis.call('HGET', KEYS[2], 'blocked') or '0')
  if now + retry > blocked then redis.call('HSET', KEYS[2], 'blocked', string.format('%.0f', now + retry)) end
end
if remaining >= 0 and reset > 0 then
  -- Within one window the provider's count only falls, so an answer that says
  -- a little more than an earlier one is older than it and tells nothing new;
  -- one that says much more than is explained by answers that overtook each
  -- other is news. What is still on its way may not be counted yet.
  local flight = redis.call('ZCARD', KEYS[3])
  local seq = tonumber(redis.call('HGET', KEYS[2], 'seq') or '0')
  local old = tonumber(redis.call('HGET', KEYS[2], 'reset') or '0')
  local same = old > now and math.abs(old - (now + reset)) < 3000000
  local news = not same
  if same then
    local estimate = tonumber(redis.call('HGET', KEYS[2], 'left')) - (seq - tonumber(redis.call('HGET', KEYS[2], 'at')))
    news = remaining < tonumber(redis.call('HGET', KEYS[2], 'low') or '1e9') or remaining > estimate + flight + 128
    reset = math.max(reset, old - now)
  end
  if news then
    redis.call('HSET', KEYS[2], 'low', remaining, 'left', remaining - flight, 'reset', string.format('%.0f', now + reset), 'at', seq)
  end
end
return redis.status_reply('OK')
