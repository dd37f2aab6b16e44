import { ANNOUNCE_DEDUPE_MS } from '../../timelines/streams.ts';
import { script } from './connection.ts';
import { SHARED_LUA } from './timeline-shared-lua.ts';

/**
 * KEYS the timelines, public ones first. ARGV tombstones, channel, id, time, cap, run, now, number of public
 * timelines, active since ('' for all), event retention, the set of subscribed timelines, the key of the newest entry, the
 * set of homes that were severed from the author ('' for none). Returns a string: 1 for each timeline that contains the
 * drop.
 */
export const ADD_SCRIPT = script(
  'add',
  SHARED_LUA,
  `
local id, at, cap, run, now = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7])
if redis.call('EXISTS', ARGV[1] .. id) == 1 then return '' end
local channel, shared, active, keep = ARGV[2], tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]
local text = ARGV[4]
local call = redis.call
local contained = {}
-- The key keeps the name that earlier versions gave it.
local announced = ARGV[1] .. id .. ' told'
local server = string.match(run, '^[^:]*')
local young = now - at < ${ANNOUNCE_DEDUPE_MS / 2}
local subscribedSet = ARGV[11]
local newest = isNewest(ARGV[12], at, id)
local subscribed = call('SCARD', subscribedSet) > 0 and call('SMISMEMBER', subscribedSet, unpack(KEYS)) or {}

-- A public timeline that is created by a drop. A lost one may have contained newer drops: it begins above these.
local function begin(k, state)
  dropWindow(k, state)
  local fat, fid, contained = at, id, '1'
  if newest == false then
    fat, fid = math.min(floorOf(call('GET', ARGV[12])), now + 1000) + 1, ''
    if not older(at, id, fat, fid) then fat, fid = at, id else contained = '0' end
  end
  call('HSET', state, 'w', run, 't', contained == '1' and '1' or '', 'f', string.format('%.0f', fat) .. ' ' .. fid, 'z', '1', 'r', now, 'v', instant())
  call('PERSIST', state)
  if contained == '1' then call('ZADD', k, text, id) end
  local received = call('ZRANGE', beside(k, ':received'), string.format('%.0f', fat), '+inf', 'BYSCORE', 'WITHSCORES')
  for i = 1, #received, 2 do
    if not older(tonumber(received[i + 1]), received[i], fat, fid) then call('ZADD', k, received[i + 1], received[i]) end
  end
  if call('ZCARD', k) > cap then call('ZREMRANGEBYRANK', k, 0, -cap - 1) end
  if call('EXISTS', k) == 1 then call('HDEL', state, 'z') end
  return call('ZSCORE', k, id) and '1' or '0'
end

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
    return begin(k, state), true
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
-- Trim first: the result shows whether it was full, and only the sorted set is read. A drop that a full timeline already
-- contains, or that is too old for it, would cost it the lowest one. This whole step was done before or not at all, and what
-- is too old for one is so for most: the last timeline decides whether to check before.
local known = call('ZRANGE', keys[#keys], '0', '0', 'WITHSCORES')
local plain = cap > 1 and not call('ZSCORE', keys[#keys], id)
  and not (known[1] and older(at, id, tonumber(known[2]), known[1]))
local below, lowest = string.format('%d', -cap), cap - 1
local severed = ARGV[13] ~= '' and call('EXISTS', ARGV[13]) == 1 and call('SMISMEMBER', ARGV[13], unpack(keys)) or {}
local function isRead(k)
  return tonumber(call('HGET', stateOf(k), 'r') or 0) >= active
end
for i = 1, #keys do
  local k, fell = keys[i], 0
  if plain and severed[i] ~= 1 and subscribed[i] ~= 1 and (not active or isRead(k)) then fell = call('ZREMRANGEBYRANK', k, '0', below) end
  if severed[i] == 1 then
    contained[i] = '0'
  elseif fell > 0 then
    contained[i] = '1'
    local fresh = call('ZADD', k, text, id) == 1
    if not newest and fresh and call('ZREVRANK', k, id) == lowest then
      -- The trimmed entry may have been newer.
      call('ZREM', k, id)
      contained[i], fresh = '0', false
    end
    if (not fresh or fell > 1) and call('EXISTS', stateOf(k)) == 1 then call('HSET', stateOf(k), 't', '1') end
  else
    local state = stateOf(k)
    local h = call('HMGET', state, 'w', 't', 'f', 'z', 'b', 'r', 's', 'u')
    local fresh = false
    if h[1] or i <= shared then contained[i], fresh = put(k, state, h, i <= shared) else contained[i], fresh = '0', true end
    if h[7] == server and tonumber(h[8]) > now then
      -- An event that is handled twice is sent once, also where no window contains the drop; and where a rebuild added the
      -- drop before its event was handled, streams that were open by then do not know it.
      if (fresh or young) and call('SADD', announced, k) == 1 then
        publishEvent(k, state, channel, keep, 'new_drop ' .. text .. ' ' .. id)
        call('PEXPIRE', announced, ${ANNOUNCE_DEDUPE_MS})
      end
    elseif subscribed[i] == 1 then
      call('SREM', subscribedSet, k)
    end
  end
  if i <= shared and contained[i] == '0' then
    local left = beside(k, ':left')
    call('ZADD', left, text, id)
    call('ZREMRANGEBYRANK', left, 0, -math.max(cap, 1000) - 1)
  end
end
return table.concat(contained)
`,
);
