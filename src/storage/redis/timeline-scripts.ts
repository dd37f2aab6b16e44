import { ANNOUNCE_DEDUPE_MS } from '../../timelines/streams.ts';
import { script } from './connection.ts';
import { SHARED_LUA } from './timeline-shared-lua.ts';

/**
 * KEYS the timelines. ARGV tombstones, channel, id, retention of the tombstone, run, now, event retention, cap, 1 where the
 * drop was announced to timelines that do not contain it, the key of the last deletion time. The timelines of those
 * announcements are in a set beside the tombstone.
 */
export const REMOVE_SCRIPT = script(
  'remove',
  SHARED_LUA,
  `
local channel, id, now, keep = ARGV[2], ARGV[3], tonumber(ARGV[6]), ARGV[7]
local server, cap = string.match(ARGV[5], '^[^:]*'), tonumber(ARGV[8])
local known = redis.call('SET', ARGV[1] .. id, '1', 'PX', ARGV[4], 'GET')
redis.call('SET', ARGV[10], instant())
local time = known and known ~= '1' and known
local announced = ARGV[1] .. id .. ' said'
for i = 1, #KEYS do
  local k = KEYS[i]
  local state = beside(k, ':state')
  local score = redis.call('ZSCORE', k, id)
  if isShared(k) then redis.call('ZREM', beside(k, ':left'), id) end
  time = time or score
  if score then removeEntry(k, state, id, score, cap) end
  local h = redis.call('HMGET', state, 's', 'u', 'w')
  if h[1] == server and tonumber(h[2]) > now then
    local shown = ARGV[9] == '1' or not known or h[3] ~= ARGV[5]
    if score or shown and redis.call('SADD', announced, k) == 1 then publishEvent(k, state, channel, keep, 'drop_deleted 0 ' .. id) end
  end
end
-- A tombstone has the position of the drop, for pages that continue from it.
if time then redis.call('SET', ARGV[1] .. id, time, 'PX', ARGV[4]) end
redis.call('PEXPIRE', announced, ARGV[4])
return 1
`,
);

/** KEYS one timeline. ARGV tombstones, id. Returns the time of the drop; nothing where it is unknown. */
export const TIME_OF_SCRIPT = script(
  'find',
  `
local score = redis.call('ZSCORE', KEYS[1], ARGV[2])
if score then return score end
local time = redis.call('GET', ARGV[1] .. ARGV[2])
return time and time ~= '1' and time
`,
);

/** KEYS timelines. ARGV channel, run, now, event retention, line. Only subscribed timelines get the event. */
export const RECORD_EVENT_SCRIPT = script(
  'tell',
  SHARED_LUA,
  `
for i = 1, #KEYS do
  local state = beside(KEYS[i], ':state')
  local h = redis.call('HMGET', state, 's', 'u')
  if h[1] == ARGV[2] and tonumber(h[2]) > tonumber(ARGV[3]) then
    publishEvent(KEYS[i], state, ARGV[1], ARGV[4], ARGV[5])
  end
end
return 1
`,
);

/**
 * KEYS timelines. ARGV channel, run, now, event retention, tombstones, the set of homes that were severed from the author
 * ('' for none), then times and IDs. Each subscribed timeline gets one event for each drop, unless it was deleted.
 */
export const ANNOUNCE_SCRIPT = script(
  'announce',
  SHARED_LUA,
  `
local severed = ARGV[6] ~= '' and redis.call('SMISMEMBER', ARGV[6], unpack(KEYS)) or {}
local subscribed = {}
for i = 1, #KEYS do
  local h = redis.call('HMGET', beside(KEYS[i], ':state'), 's', 'u')
  subscribed[i] = h[1] == ARGV[2] and tonumber(h[2]) > tonumber(ARGV[3]) and severed[i] ~= 1
end
for n = 7, #ARGV, 2 do
  local id = ARGV[n + 1]
  if redis.call('EXISTS', ARGV[5] .. id) == 0 then
    local announced = ARGV[5] .. id .. ' told'
    for i = 1, #KEYS do
      if subscribed[i] and redis.call('SADD', announced, KEYS[i]) == 1 then
        publishEvent(KEYS[i], beside(KEYS[i], ':state'), ARGV[1], ARGV[4], 'new_drop ' .. ARGV[n] .. ' ' .. id)
      end
    end
    redis.call('PEXPIRE', announced, ${ANNOUNCE_DEDUPE_MS})
  end
end
return 1
`,
);

/** Begins or extends the event retention. Returns the current epoch and number, and whether it was extended by much. */
const MARK_LUA = `
local function mark(k, state, run, now, keep, epoch, subscribedSet)
  local h = redis.call('HMGET', state, 's', 'e', 'n', 'u')
  local till = now + keep
  if h[1] ~= run or tonumber(h[4] or 0) <= now then
    redis.call('UNLINK', beside(k, ':events'))
    redis.call('HSET', state, 's', run, 'e', epoch, 'n', 0, 'u', till)
    h[2], h[3], h[4] = epoch, '0', 0
  end
  local renewed = ''
  if tonumber(h[4]) < till - keep / 100 then
    renewed = '1'
    redis.call('HSET', state, 'u', till)
    redis.call('SADD', subscribedSet, k)
    redis.call('PEXPIRE', beside(k, ':events'), keep)
    local ttl = redis.call('PTTL', state)
    if ttl >= 0 and ttl < keep then redis.call('PEXPIRE', state, keep) end
    if ttl == -1 and redis.call('HEXISTS', state, 'w') == 0 then redis.call('PEXPIRE', state, keep) end
  end
  return h[2], h[3], renewed
end
`;

/** KEYS one timeline. ARGV run, now, keep, epoch, the set of subscribed timelines. Returns epoch and number. */
export const SUBSCRIBE_SCRIPT = script(
  'watch',
  SHARED_LUA,
  MARK_LUA,
  `
local e, n = mark(KEYS[1], beside(KEYS[1], ':state'), ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5])
return { e, n }
`,
);

/** KEYS one timeline. ARGV run, epoch, after which number. Returns the current epoch and number, and the events. */
export const EVENTS_SCRIPT = script(
  'events',
  SHARED_LUA,
  `
local h = redis.call('HMGET', beside(KEYS[1], ':state'), 's', 'e', 'n')
if h[1] ~= ARGV[1] then return false end
if h[2] ~= ARGV[2] then return { h[2], h[3] } end
return { h[2], h[3], redis.call('XRANGE', beside(KEYS[1], ':events'), '(' .. ARGV[3] .. '-0', '+') }
`,
);

/**
 * KEYS timelines. ARGV run, now, limit, before time, before id, after time, after id, idle ('' for ever), keep events
 * ('' without a mark), epoch, cap, the set of subscribed timelines, tombstones, channel, event retention, the key of the last
 * deletion time, then for each timeline the version of the cached page ('' for none). Drops that were deleted, but not from here,
 * are removed first. Returns one string for each, or nothing. Where the page is unchanged: `=`, and 1 where the event retention was
 * extended. Otherwise a line each: floor, epoch, number, 1 where the event retention was extended, the pull authors, version, then
 * IDs and times; a reply of many parts takes far longer to parse than one string. A page without a version is not cached.
 *
 * Where nothing was deleted or merged since, drops were only added: then a page with the same first and last entry and the same
 * number of entries is the same page.
 */
export const PAGE_SCRIPT = script(
  'page',
  SHARED_LUA,
  MARK_LUA,
  `
local call = redis.call
local run, now, limit, cap = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[11])
local idle, keep = tonumber(ARGV[8]), tonumber(ARGV[9])
local server, deletedAt = string.match(run, '^[^:]*'), call('GET', ARGV[16]) or ''
-- The state, the ranks between which the page lies, and the floor. Nothing where there is no such window.
local function readWindow(k, state)
  local h = call('HMGET', state, 'w', 'f', 't', 'z', 'b', 'r', 'a', 'u', 's', 'v', 'e', 'n')
  if h[1] ~= run or (h[5] and h[5] ~= '') then return nil end
  local card = call('ZCARD', k)
  if card == 0 and h[4] ~= '1' then
    dropWindow(k, state)
    return nil
  end
  local first, last, floor = 0, card, h[2] or ''
  if ARGV[4] ~= '' then first = rank(k, ARGV[4], ARGV[5], true) end
  if ARGV[6] ~= '' then last = rank(k, ARGV[6], ARGV[7], false) end
  if last > first + limit then last = first + limit end
  if (h[3] == '1' or card >= cap) and card > 0 then
    local low = call('ZRANGE', k, 0, 0, 'WITHSCORES')
    floor = low[2] .. ' ' .. low[1]
  end
  return h, first, last, floor
end
local function markEvents(k, state, h)
  if not keep then return '', '', '' end
  if h[9] == server and tonumber(h[8]) >= now + keep - keep / 100 then return h[11], h[12], '' end
  return mark(k, state, server, now, keep, string.sub(redis.sha1hex(ARGV[10] .. k), 1, 12), ARGV[12])
end
local function removeDeleted(k, state, h, found)
  local tombstones, hasDeleted = {}, false
  for i = 1, #found, 2 do tombstones[#tombstones + 1] = ARGV[13] .. found[i] end
  if #tombstones == 0 or call('EXISTS', unpack(tombstones)) == 0 then return true end
  for i = 1, #found, 2 do
    local id = found[i]
    local tombstone = call('GET', ARGV[13] .. id)
    if tombstone then
      hasDeleted = true
      removeEntry(k, state, id, found[i + 1], cap)
      if tombstone == '1' then call('SET', ARGV[13] .. id, found[i + 1], 'KEEPTTL') end
      if h[9] == server and tonumber(h[8]) > now then publishEvent(k, state, ARGV[14], ARGV[15], 'drop_deleted 0 ' .. id) end
    end
  end
  return not hasDeleted
end
local function page(k, known)
  local state = beside(k, ':state')
  local h, first, last, floor = readWindow(k, state)
  if not h then return false end
  if idle and now - tonumber(h[6] or 0) > idle / 100 then
    call('HSET', state, 'r', now)
    call('PEXPIRE', k, idle)
    call('PEXPIRE', state, math.max(idle, tonumber(h[8] or 0) - now))
  end
  local epoch, number, renewed = markEvents(k, state, h)
  local version = deletedAt .. ' ' .. (h[10] or '') .. ' ' .. floor .. ' ' .. epoch .. ' ' .. number .. ' ' .. (last - first)
  if known ~= '' and last > first and known == version .. ' ' .. call('ZREVRANGE', k, first, first)[1] .. ' ' .. call('ZREVRANGE', k, last - 1, last - 1)[1] then
    return '=' .. renewed
  end
  local found
  while true do
    found = last > first and call('ZREVRANGE', k, first, last - 1, 'WITHSCORES') or {}
    if removeDeleted(k, state, h, found) then break end
    h, first, last, floor = readWindow(k, state)
    if not h then return false end
    epoch, number = markEvents(k, state, h)
    version = ''
  end
  if version ~= '' then version = version .. ' ' .. (found[1] or '') .. ' ' .. (found[#found - 1] or '') end
  local answer = { floor, epoch, number, renewed, h[7] or '', version }
  for i = 1, #found do answer[6 + i] = found[i] end
  return table.concat(answer, '\\n')
end
local pages = {}
for i = 1, #KEYS do pages[i] = page(KEYS[i], ARGV[16 + i]) end
return pages
`,
);

/** KEYS one timeline. ARGV limit, before time ('' from the top), before id. Returns IDs and times. */
export const EVICTED_ENTRIES_SCRIPT = script(
  'left_over',
  SHARED_LUA,
  `
local left = beside(KEYS[1], ':left')
local first = ARGV[2] == '' and 0 or rank(left, ARGV[2], ARGV[3], true)
return redis.call('ZREVRANGE', left, first, first + tonumber(ARGV[1]) - 1, 'WITHSCORES')
`,
);

/**
 * KEYS one timeline. ARGV run, now, token, lease, how (alone, reopen), idle ('' for ever). Returns 1 where the rebuild has
 * begun.
 */
export const BEGIN_SCRIPT = script(
  'begin',
  SHARED_LUA,
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
 * KEYS one timeline. ARGV run, tombstones, cap, token, floor time, floor id, pull authors ('' for unchanged), idle, the key
 * of the newest entry, the prefix of the sets of severed homes, number of authors that the home follows, these authors, then
 * times and IDs. Returns 1 where it was stored. The home is joined to the authors: with this token nothing was severed since
 * they were read.
 */
export const MERGE_SCRIPT = script(
  'merge',
  SHARED_LUA,
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
    if below(member, fid) then redis.call('ZREM', k, member) end
  end
end
local follows = tonumber(ARGV[11])
for i = 12, 11 + follows do redis.call('SREM', ARGV[10] .. ARGV[i], k) end
local nat, nid
for i = 12 + follows, #ARGV, 2 do
  local at, id = tonumber(ARGV[i]), ARGV[i + 1]
  if not (fat and older(at, id, fat, fid)) and redis.call('EXISTS', ARGV[2] .. id) == 0 then
    redis.call('ZADD', k, ARGV[i], id)
    if not nat or older(nat, nid, at, id) then nat, nid = at, id end
  end
end
if nat then isNewest(ARGV[9], nat, nid) end
card = redis.call('ZCARD', k)
local trimmed = ''
if card > cap then
  redis.call('ZREMRANGEBYRANK', k, 0, card - cap - 1)
  trimmed = '1'
end
redis.call('HSET', state, 'f', fat and (string.format('%.0f', fat) .. ' ' .. fid) or '', 't', trimmed, 'v', instant())
if card == 0 then redis.call('HSET', state, 'z', '1') else redis.call('HDEL', state, 'z') end
if token ~= '' then redis.call('HDEL', state, 'b', 'l') end
if ARGV[7] ~= '' then redis.call('HSET', state, 'a', ARGV[7]) end
if ARGV[8] ~= '' then redis.call('PEXPIRE', k, ARGV[8]) end
return 1
`,
);

/** KEYS one timeline. ARGV token ('' always). */
export const EVICT_SCRIPT = script(
  'drop',
  SHARED_LUA,
  `
local state = beside(KEYS[1], ':state')
if ARGV[1] == '' or redis.call('HGET', state, 'b') == ARGV[1] then dropWindow(KEYS[1], state) end
return 1
`,
);

/** KEYS one timeline. ARGV the set of homes severed from an author, its time to live. The home is evicted. */
export const SEVER_SCRIPT = script(
  'sever',
  SHARED_LUA,
  `
redis.call('SADD', ARGV[1], KEYS[1])
redis.call('PEXPIRE', ARGV[1], ARGV[2])
dropWindow(KEYS[1], beside(KEYS[1], ':state'))
return 1
`,
);

/** KEYS one timeline. ARGV the set of homes severed from an author. */
export const JOIN_SCRIPT = script('join', "return redis.call('SREM', ARGV[1], KEYS[1])");

/** KEYS timelines. ARGV run, now, idle. */
export const TOUCH_SCRIPT = script(
  'touch',
  SHARED_LUA,
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

/** KEYS one timeline. ARGV run. Returns its number of entries; nothing where it does not exist. */
export const SIZE_SCRIPT = script(
  'size',
  SHARED_LUA,
  `
local h = redis.call('HMGET', beside(KEYS[1], ':state'), 'w', 'z')
if h[1] ~= ARGV[1] then return false end
local card = redis.call('ZCARD', KEYS[1])
if card == 0 and h[2] ~= '1' then return false end
return card
`,
);
