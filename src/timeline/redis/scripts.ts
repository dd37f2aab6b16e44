import { script } from '../../redis/script.ts';

/*
 * What a timeline's state holds:
 *
 *   w  the server run that made the window, and the cap; without it, or with another, there is no window
 *   f  the explicit floor as `time id`; empty where the window reaches the beginning
 *   t  1: trimmed, so the floor is the lowest entry, if there is one; a full window counts as trimmed without it
 *   z  1: the sorted set is rightly empty; without it an absent set was evicted, and the window with it
 *   b  the token of the rebuild under way, l until when its lease runs
 *   r  when it was last read
 *   a  the authors that are merged in on reading
 *   s  the server run under which its events are numbered, e their epoch, n the last number, u until when they are kept
 *
 * A window is believed only by the server process that made it: after a crash the last second of writes may be missing.
 * Keys beside a timeline are named by the script; they lie in the timeline's own slot. Which timelines of a slot are
 * watched stands in a set, so that adding to a full one that nobody watches looks at nothing but the sorted set.
 */
const SHARED = `
local function beside(k, what)
  if string.find(k, '{', 1, true) then return k .. what end
  return '{' .. k .. '}' .. what
end
local function older(at, id, at2, id2)
  return at < at2 or (at == at2 and id < id2)
end
local function floorOf(text)
  local at, id = string.match(text, '^(%S+) (.*)$')
  return tonumber(at), id
end
local function dropWindow(k, state)
  redis.call('UNLINK', k)
  redis.call('HDEL', state, 'w', 'f', 't', 'z', 'b', 'l', 'r', 'a')
end
local function tell(k, state, channel, keep, line)
  local n = redis.call('HINCRBY', state, 'n', 1)
  local events = beside(k, ':events')
  redis.call('XADD', events, 'MAXLEN', '~', 1000, n .. '-0', 'v', line)
  redis.call('PEXPIRE', events, keep)
  redis.call('PUBLISH', channel .. k, redis.call('HGET', state, 'e') .. ' ' .. n .. ' ' .. line)
end
`;

/**
 * KEYS the timelines, those of everybody first. ARGV tombstones, channel, id, time, cap, run, now, how many of
 * everybody, active since ('' for all), how long events are kept, the set of those watched. Answers a string: 1 for each timeline that holds it.
 */
export const ADD = script(
  'add',
  SHARED,
  `
local id, at, cap, run, now = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7])
if redis.call('EXISTS', ARGV[1] .. id) == 1 then return '' end
local channel, shared, active, keep = ARGV[2], tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]
local text = ARGV[4]
local call = redis.call
local held = {}
local server = string.match(run, '^[^:]*')
local watching = ARGV[11]
local watched = call('SCARD', watching) > 0 and call('SMISMEMBER', watching, unpack(KEYS)) or {}

local function put(k, state, h, shared)
  local card = call('ZCARD', k)
  local there = h[1] == run
  if there and card == 0 and h[4] ~= '1' then
    dropWindow(k, state)
    there = false
  end
  if there and active and not shared and not h[5] and tonumber(h[6] or 0) < active then
    dropWindow(k, state)
    return '0', true
  end
  if not there then
    if not shared then return '0', true end
    dropWindow(k, state)
    call('HSET', state, 'w', run, 't', '1', 'f', '', 'r', now)
    call('PERSIST', state)
    call('ZADD', k, text, id)
    return '1', true
  end
  if card >= cap then
    if call('ZADD', k, text, id) == 0 then return '1', false end
    if h[2] ~= '1' then call('HSET', state, 't', '1') end
    call('ZREMRANGEBYRANK', k, 0, card - cap)
    return call('ZREVRANK', k, id) and '1' or '0', true
  end
  if h[2] == '1' and card > 0 then
    local low = call('ZRANGE', k, 0, 0, 'WITHSCORES')
    if older(at, id, tonumber(low[2]), low[1]) then return '0', true end
  elseif h[3] and h[3] ~= '' then
    local fat, fid = floorOf(h[3])
    if older(at, id, fat, fid) then return '0', true end
  end
  local fresh = call('ZADD', k, text, id) == 1
  if card == 0 then
    call('HDEL', state, 'z')
    local ttl = call('PTTL', state)
    if ttl > 0 then call('PEXPIRE', k, ttl) end
  end
  return '1', fresh
end

local keys = KEYS
local tagged = keys[1] and string.find(keys[1], '{', 1, true)
local function stateOf(k)
  return tagged and k .. ':state' or '{' .. k .. '}:state'
end
-- Room is made first: the answer says whether it was full, and nothing but the sorted set is looked at. A drop that a
-- full timeline has already, or that is too old for it, would cost it the lowest one. This whole step was done before or
-- not at all, and what is too old for one is so for most: the last timeline tells whether to look before.
local known = call('ZRANGE', keys[#keys], '0', '0', 'WITHSCORES')
local plain = cap > 1 and not call('ZSCORE', keys[#keys], id)
  and not (known[1] and older(at, id, tonumber(known[2]), known[1]))
local below, lowest = string.format('%d', -cap), cap - 1
local function isRead(k)
  return tonumber(call('HGET', stateOf(k), 'r') or 0) >= active
end
for i = 1, #keys do
  local k, fell = keys[i], 0
  if plain and watched[i] ~= 1 and (not active or isRead(k)) then fell = call('ZREMRANGEBYRANK', k, '0', below) end
  if fell > 0 then
    held[i] = '1'
    local fresh = call('ZADD', k, text, id) == 1
    if fresh and call('ZREVRANK', k, id) == lowest then
      -- What fell out may have been newer.
      call('ZREM', k, id)
      held[i], fresh = '0', false
    end
    if (not fresh or fell > 1) and call('EXISTS', stateOf(k)) == 1 then call('HSET', stateOf(k), 't', '1') end
  else
    local state = stateOf(k)
    local h = call('HMGET', state, 'w', 't', 'f', 'z', 'b', 'r', 's', 'u')
    local fresh = false
    if h[1] or i <= shared then held[i], fresh = put(k, state, h, i <= shared) else held[i], fresh = '0', true end
    if h[7] == server and tonumber(h[8]) > now then
      if fresh then tell(k, state, channel, keep, 'new_drop ' .. text .. ' ' .. id) end
    elseif watched[i] == 1 then
      call('SREM', watching, k)
    end
  end
end
return table.concat(held)
`,
);

/** KEYS the timelines. ARGV tombstones, channel, id, how long the tombstone stays, run, now, how long events are
 * kept, cap. */
export const REMOVE = script(
  'remove',
  SHARED,
  `
local channel, id, now, keep = ARGV[2], ARGV[3], tonumber(ARGV[6]), ARGV[7]
local server, cap = string.match(ARGV[5], '^[^:]*'), tonumber(ARGV[8])
local known = redis.call('SET', ARGV[1] .. id, '1', 'PX', ARGV[4], 'GET')
for i = 1, #KEYS do
  local k = KEYS[i]
  local state = beside(k, ':state')
  local score = redis.call('ZSCORE', k, id)
  if score then
    if redis.call('ZCARD', k) >= cap then redis.call('HSET', state, 't', '1') end
    redis.call('ZREM', k, id)
    if redis.call('EXISTS', k) == 0 then
      redis.call('HSET', state, 'z', '1')
      if redis.call('HGET', state, 't') == '1' then
        redis.call('HSET', state, 't', '', 'f', string.format('%.0f', score) .. ' ' .. id)
      end
    end
  end
  if score or not known then
    local h = redis.call('HMGET', state, 's', 'u')
    if h[1] == server and tonumber(h[2]) > now then tell(k, state, channel, keep, 'drop_deleted 0 ' .. id) end
  end
end
return 1
`,
);

/** KEYS timelines. ARGV channel, line, run, now, how long events are kept. Only those that are watched are told. */
export const TELL = script(
  'tell',
  SHARED,
  `
for i = 1, #KEYS do
  local state = beside(KEYS[i], ':state')
  local h = redis.call('HMGET', state, 's', 'u')
  if h[1] == ARGV[3] and tonumber(h[2]) > tonumber(ARGV[4]) then
    tell(KEYS[i], state, ARGV[1], ARGV[5], ARGV[2])
  end
end
return 1
`,
);

/** Begins or prolongs the keeping of events, and answers where they stand. */
const MARK = `
local function mark(k, state, run, now, keep, epoch, watching)
  local h = redis.call('HMGET', state, 's', 'e', 'n', 'u')
  local till = now + keep
  if h[1] ~= run or tonumber(h[4] or 0) <= now then
    redis.call('UNLINK', beside(k, ':events'))
    redis.call('HSET', state, 's', run, 'e', epoch, 'n', 0, 'u', till)
    h[2], h[3], h[4] = epoch, '0', 0
  end
  if tonumber(h[4]) < till then
    redis.call('HSET', state, 'u', till)
    redis.call('SADD', watching, k)
    redis.call('PEXPIRE', beside(k, ':events'), keep)
    local ttl = redis.call('PTTL', state)
    if ttl >= 0 and ttl < keep then redis.call('PEXPIRE', state, keep) end
    if ttl == -1 and redis.call('HEXISTS', state, 'w') == 0 then redis.call('PEXPIRE', state, keep) end
  end
  return h[2], h[3]
end
`;

/** KEYS one timeline. ARGV run, now, keep, epoch, the set of those watched. Answers epoch and number. */
export const WATCH = script(
  'watch',
  SHARED,
  MARK,
  `
local e, n = mark(KEYS[1], beside(KEYS[1], ':state'), ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5])
return { e, n }
`,
);

/** KEYS one timeline. ARGV run, epoch, after which number. Answers the current epoch and number, and the events. */
export const EVENTS = script(
  'events',
  SHARED,
  `
local h = redis.call('HMGET', beside(KEYS[1], ':state'), 's', 'e', 'n')
if h[1] ~= ARGV[1] then return false end
if h[2] ~= ARGV[2] then return { h[2], h[3] } end
return { h[2], h[3], redis.call('XRANGE', beside(KEYS[1], ':events'), '(' .. ARGV[3] .. '-0', '+') }
`,
);

/**
 * KEYS one timeline. ARGV run, now, limit, before time, before id, after time, after id, idle ('' for ever), keep events
 * ('' without a mark), epoch, cap, the set of those watched. Answers floor, epoch, number, the authors aside, then IDs and times.
 */
export const PAGE = script(
  'page',
  SHARED,
  MARK,
  `
local k, run, now, limit = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local state = beside(k, ':state')
local h = redis.call('HMGET', state, 'w', 'f', 't', 'z', 'b', 'r', 'a', 'u')
if h[1] ~= run or (h[5] and h[5] ~= '') then return false end
local card = redis.call('ZCARD', k)
if card == 0 and h[4] ~= '1' then
  dropWindow(k, state)
  return false
end
local function rank(at, id, including)
  local newer = redis.call('ZCOUNT', k, '(' .. at, '+inf')
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', k, at, at)) do
    if member > id or (including and member == id) then newer = newer + 1 end
  end
  return newer
end
local first, last = 0, card
if ARGV[4] ~= '' then first = rank(ARGV[4], ARGV[5], true) end
if ARGV[6] ~= '' then last = rank(ARGV[6], ARGV[7], false) end
if last > first + limit then last = first + limit end
local answer = { h[2] or '', '', '', h[7] or '' }
if (h[3] == '1' or card >= tonumber(ARGV[11])) and card > 0 then
  local low = redis.call('ZRANGE', k, 0, 0, 'WITHSCORES')
  answer[1] = low[2] .. ' ' .. low[1]
end
local idle = tonumber(ARGV[8])
if idle and now - tonumber(h[6] or 0) > idle / 100 then
  redis.call('HSET', state, 'r', now)
  redis.call('PEXPIRE', k, idle)
  redis.call('PEXPIRE', state, math.max(idle, tonumber(h[8] or 0) - now))
end
if ARGV[9] ~= '' then answer[2], answer[3] = mark(k, state, string.match(run, '^[^:]*'), now, tonumber(ARGV[9]), ARGV[10], ARGV[12]) end
if last > first then
  local found = redis.call('ZREVRANGE', k, first, last - 1, 'WITHSCORES')
  for i = 1, #found do answer[4 + i] = found[i] end
end
return answer
`,
);

/**
 * KEYS one timeline. ARGV run, now, token, lease, how (always, alone, reopen), idle ('' for ever). Answers 1 where it
 * has begun.
 */
export const BEGIN = script(
  'begin',
  SHARED,
  `
local k, run, now, how = KEYS[1], ARGV[1], tonumber(ARGV[2]), ARGV[5]
local state = beside(k, ':state')
local h = redis.call('HMGET', state, 'w', 'z', 'b', 'l')
local there = h[1] == run and (h[2] == '1' or redis.call('EXISTS', k) == 1)
local building = there and h[3] and h[3] ~= ''
if how == 'alone' and building and tonumber(h[4]) > now then return 0 end
if how == 'reopen' and (not there or building) then
  if building then dropWindow(k, state) end
  return 0
end
if not there then
  dropWindow(k, state)
  redis.call('HSET', state, 'w', run, 'f', '', 'z', '1', 'r', now)
end
redis.call('HSET', state, 'b', ARGV[3], 'l', now + tonumber(ARGV[4]))
local idle = tonumber(ARGV[6])
if idle then
  redis.call('PEXPIRE', k, idle)
  redis.call('PEXPIRE', state, math.max(idle, tonumber(redis.call('HGET', state, 'u') or 0) - now))
else
  redis.call('PERSIST', state)
end
return 1
`,
);

/**
 * KEYS one timeline. ARGV run, tombstones, cap, token, floor time, floor id, authors aside ('' as they are), idle, then
 * times and IDs. Answers 1 where it was stored.
 */
export const MERGE = script(
  'merge',
  SHARED,
  `
local k, run, cap, token = KEYS[1], ARGV[1], tonumber(ARGV[3]), ARGV[4]
local state = beside(k, ':state')
local h = redis.call('HMGET', state, 'w', 'f', 't', 'z', 'b')
local card = redis.call('ZCARD', k)
if h[1] ~= run or (card == 0 and h[4] ~= '1') then return 0 end
if token ~= '' and h[5] ~= token then return 0 end
local fat, fid
if (h[3] == '1' or card >= cap) and card > 0 then
  local low = redis.call('ZRANGE', k, 0, 0, 'WITHSCORES')
  fat, fid = tonumber(low[2]), low[1]
elseif h[2] and h[2] ~= '' then
  fat, fid = floorOf(h[2])
end
if ARGV[5] ~= '' and (not fat or older(fat, fid, tonumber(ARGV[5]), ARGV[6])) then
  fat, fid = tonumber(ARGV[5]), ARGV[6]
  redis.call('ZREMRANGEBYSCORE', k, '-inf', '(' .. ARGV[5])
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', k, fat, fat)) do
    if member < fid then redis.call('ZREM', k, member) end
  end
end
for i = 9, #ARGV, 2 do
  local at, id = tonumber(ARGV[i]), ARGV[i + 1]
  if not (fat and older(at, id, fat, fid)) and redis.call('EXISTS', ARGV[2] .. id) == 0 then
    redis.call('ZADD', k, ARGV[i], id)
  end
end
card = redis.call('ZCARD', k)
local trimmed = ''
if card > cap then
  redis.call('ZREMRANGEBYRANK', k, 0, card - cap - 1)
  trimmed = '1'
end
redis.call('HSET', state, 'f', fat and (string.format('%.0f', fat) .. ' ' .. fid) or '', 't', trimmed)
if card == 0 then redis.call('HSET', state, 'z', '1') else redis.call('HDEL', state, 'z') end
if token ~= '' then redis.call('HDEL', state, 'b', 'l') end
if ARGV[7] ~= '' then redis.call('HSET', state, 'a', ARGV[7]) end
if ARGV[8] ~= '' then redis.call('PEXPIRE', k, ARGV[8]) end
return 1
`,
);

/** KEYS one timeline. ARGV token ('' always). */
export const DROP = script(
  'drop',
  SHARED,
  `
local state = beside(KEYS[1], ':state')
if ARGV[1] == '' or redis.call('HGET', state, 'b') == ARGV[1] then dropWindow(KEYS[1], state) end
return 1
`,
);

/** KEYS timelines. ARGV run, now, idle. */
export const TOUCH = script(
  'touch',
  SHARED,
  `
local now, idle = tonumber(ARGV[2]), tonumber(ARGV[3])
for i = 1, #KEYS do
  local state = beside(KEYS[i], ':state')
  local h = redis.call('HMGET', state, 'w', 'u')
  if h[1] == ARGV[1] then
    redis.call('HSET', state, 'r', now)
    redis.call('PEXPIRE', KEYS[i], idle)
    redis.call('PEXPIRE', state, math.max(idle, tonumber(h[2] or 0) - now))
  end
end
return 1
`,
);

/** KEYS one timeline. ARGV run. Answers how many it holds; nothing where it is not there. */
export const SIZE = script(
  'size',
  SHARED,
  `
local h = redis.call('HMGET', beside(KEYS[1], ':state'), 'w', 'z')
if h[1] ~= ARGV[1] then return false end
local card = redis.call('ZCARD', KEYS[1])
if card == 0 and h[2] ~= '1' then return false end
return card
`,
);
