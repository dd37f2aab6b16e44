/*
 * Fields of a timeline's state:
 *
 *   w  the server run that created the window, and the cap; without it, or with another, there is no window
 *   f  the explicit floor as `time id`; empty where the window reaches the beginning
 *   t  1: trimmed, so the floor is the lowest entry, if there is one; a full window counts as trimmed without it
 *   z  1: the sorted set is empty on purpose; without it an absent set was evicted, and the window with it
 *   b  the token of the rebuild under way, l until when its lease runs
 *   r  when it was last read
 *   a  the pull authors
 *   v  when a list was last merged in, or the window created by a drop
 *   s  the server run under which its events are numbered, e their epoch, n the last number, u until when they are kept
 *
 * A window is valid only for the server process that created it: after a crash the last second of writes may be missing. The
 * content of a discarded window of a public timeline stays beside it, for a post service that cannot list public drops.
 * Keys beside a timeline are named by the script and are in the timeline's own slot. The subscribed timelines of a slot are in
 * a set, so that adding to a full timeline without subscribers reads only the sorted set. The newest entry that was ever added
 * to a timeline of a slot is in a key of its own, as `time id`: an entry that is not older belongs on top of any timeline,
 * without a lookup.
 */
export const SHARED_LUA = `
local function beside(k, what)
  if string.find(k, '{', 1, true) then return k .. what end
  return '{' .. k .. '}' .. what
end
-- Byte by byte, as sorted sets do it: Lua's operators compare strings by the locale of the server.
local function below(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end
local function older(at, id, at2, id2)
  return at < at2 or (at == at2 and below(id, id2))
end
local function floorOf(text)
  local at, id = string.match(text, '^(%S+) (.*)$')
  return tonumber(at), id
end
-- Records an entry as the newest of its slot, unless it is older. Returns true if it is certainly not older than any other,
-- false if it is certainly older.
local function isNewest(key, at, id)
  local known = redis.call('GET', key)
  if known then
    local kat, kid = floorOf(known)
    if older(at, id, kat, kid) then return false end
    if at == kat and id == kid then return true end
  else
    -- Never recorded, or evicted: then there may be newer ones, but hardly any from the future.
    local stats = redis.pcall('INFO', 'stats')
    if type(stats) ~= 'string' or not string.find(stats, 'evicted_keys:0\\r') then
      at, id = math.max(at, tonumber(redis.call('TIME')[1]) * 1000 + 600000), ''
    end
  end
  redis.call('SET', key, string.format('%.0f', at) .. ' ' .. id)
  return known and true or nil
end
-- A string that differs in every script that runs: no two run in the same microsecond.
local function instant()
  return table.concat(redis.call('TIME'), '.')
end
local function isShared(k)
  return string.find(k, 'timeline:local$') or string.find(k, 'timeline:global$')
end
-- Number of entries of a sorted set that are newer than a position.
local function rank(k, at, id, including)
  local same = redis.call('ZRANGEBYSCORE', k, at, at)
  local low, high = 0, #same
  while low < high do
    local middle = math.floor((low + high) / 2)
    local member = same[middle + 1]
    if below(member, id) or (member == id and not including) then low = middle + 1 else high = middle end
  end
  return redis.call('ZCOUNT', k, '(' .. at, '+inf') + #same - low
end
local function dropWindow(k, state)
  local card = isShared(k) and redis.call('ZCARD', k) or 0
  if card > 0 then
    local left = beside(k, ':left')
    redis.call('ZUNIONSTORE', left, 2, left, k, 'AGGREGATE', 'MAX')
    redis.call('ZREMRANGEBYRANK', left, 0, -math.max(card, 1000) - 1)
  end
  redis.call('UNLINK', k)
  redis.call('HDEL', state, 'w', 'f', 't', 'z', 'b', 'l', 'r', 'a', 'v')
end
-- Removes one entry. The floor stays unchanged.
local function removeEntry(k, state, id, score, cap)
  if redis.call('ZCARD', k) >= cap then redis.call('HSET', state, 't', '1') end
  redis.call('ZREM', k, id)
  if redis.call('EXISTS', k) == 0 then
    redis.call('HSET', state, 'z', '1')
    if redis.call('HGET', state, 't') == '1' then
      redis.call('HSET', state, 't', '', 'f', string.format('%.0f', score) .. ' ' .. id)
    end
  end
end
-- Numbers an event, stores it for readers that reconnect, and publishes it.
local function publishEvent(k, state, channel, keep, line)
  local n = redis.call('HINCRBY', state, 'n', 1)
  local events = beside(k, ':events')
  redis.call('XADD', events, 'MAXLEN', '~', 1000, n .. '-0', 'v', line)
  redis.call('PEXPIRE', events, keep)
  redis.call('PUBLISH', channel .. k, redis.call('HGET', state, 'e') .. ' ' .. n .. ' ' .. line)
end
`;
