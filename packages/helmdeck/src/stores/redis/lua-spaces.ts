import { PRELUDE } from './lua-prelude.ts';

/** ARGV: namespace, from, to, newest first, limit, group, then kinds. Answers ids and rows in turn. */
export const SCAN = `${PRELUDE}
ns = ARGV[1]
local after, before, newest, limit, group = ARGV[2], ARGV[3], ARGV[4] == '1', tonumber(ARGV[5]), ARGV[6]
local sources, wanted = {}, {}
for i = 7, #ARGV do
  wanted[ARGV[i]] = true
  if group == '' then sources[#sources + 1] = at('k', ARGV[i]) end
end
if group ~= '' then sources[1] = at('g', group) end

local function ids(source, want)
  if newest then return call('ZREVRANGEBYSCORE', source, before, after, 'WITHSCORES', 'LIMIT', 0, want) end
  return call('ZRANGEBYSCORE', source, after, before, 'WITHSCORES', 'LIMIT', 0, want)
end

local page = {}
while true do
  local want = limit - #page / 2
  local found, more = {}, false
  for _, source in ipairs(sources) do
    local some = ids(source, want)
    if #some == want * 2 then more = true end
    for i = 1, #some, 2 do found[#found + 1] = { some[i], tonumber(some[i + 1]) } end
  end
  if #sources > 1 then
    table.sort(found, function(a, b)
      if newest then return a[2] > b[2] end
      return a[2] < b[2]
    end)
  end
  for i = 1, math.min(want, #found) do
    local row = call('GET', at('r', found[i][1]))
    if row and wanted[string.sub(row, 10, 9 + string.byte(row, 9))] then
      page[#page + 1] = found[i][1]
      page[#page + 1] = row
    end
  end
  if #page / 2 == limit or not more and #found <= want then return page end
  local bound = string.format('(%.0f', found[math.min(want, #found)][2])
  if newest then before = bound else after = bound end
end
`;

/** ARGV: now, the namespace to begin after as a bound, limit, or one namespace. Answers the last namespace looked at and what is in use. */
export const USAGE = `${PRELUDE}
now = tonumber(ARGV[1])
local function leave_out(id, row, gone)
  if gone[id] then return end
  gone[id] = true
  count(row.kind, -1, 0 - row.bytes)
  for _, child in ipairs(call('ZRANGE', at('g', id), 0, -1)) do
    local below = known(child)
    if below then leave_out(child, below, gone) end
  end
end

local used = {}
local function look_at(id)
  if not enter(id) then return end
  local record = call('HGETALL', at('n'))
  for i = 1, #record, 2 do
    local kind = string.match(record[i], '^u(.+)$')
    if kind then counts[kind] = sum_of(record[i + 1]) end
  end
  local gone = {}
  for _, expired in ipairs(call('ZRANGEBYSCORE', at('d'), '-inf', now)) do
    leave_out(expired, known(expired), gone)
  end
  for kind, sum in pairs(counts) do
    if sum[1] > 0 then used[#used + 1] = { id, kind, sum[1], sum[2] } end
  end
end

if ARGV[4] then
  look_at(ARGV[4])
  return { '', used }
end
local names = call('ZRANGEBYLEX', P .. 'names', ARGV[2], '+', 'LIMIT', 0, ARGV[3])
for _, name in ipairs(names) do look_at(name) end
return { #names == tonumber(ARGV[3]) and names[#names] or '', used }
`;

/** ARGV: namespace, generation, epoch, blob. Answers what is there afterwards; nothing while an erased one is being removed. */
export const CREATE = `${PRELUDE}
ns = ARGV[1]
if call('SISMEMBER', P .. 'drop', ns) == 1 then return {} end
if call('EXISTS', at('n')) == 0 then
  call('HSET', at('n'), 'g', ARGV[2], 'b', ARGV[4], 's', 0, 'e', ARGV[3])
  call('ZADD', P .. 'names', 0, ns)
end
return call('HMGET', at('n'), 'g', 'b')
`;

/** ARGV: namespace, generation, blob before, blob. */
export const REPLACE = `${PRELUDE}
ns = ARGV[1]
local record = call('HMGET', at('n'), 'g', 'b')
if record[1] ~= ARGV[2] or record[2] ~= ARGV[3] then return 0 end
call('HSET', at('n'), 'b', ARGV[4])
return 1
`;

/** ARGV: the namespace to begin after as a bound, limit. Answers id, generation and blob in turn. */
export const LIST = `${PRELUDE}
local listed = {}
for _, name in ipairs(call('ZRANGEBYLEX', P .. 'names', ARGV[1], '+', 'LIMIT', 0, ARGV[2])) do
  ns = name
  local record = call('HMGET', at('n'), 'g', 'b')
  listed[#listed + 1] = name
  listed[#listed + 1] = record[1]
  listed[#listed + 1] = record[2]
end
return listed
`;

/** ARGV: namespace, sender, channel. Destroys the record, and with it the only copy of the key; answers the rows left to remove. */
export const DROP = `${PRELUDE}
if not enter(ARGV[1]) then return 0 end
local rows = call('HLEN', at('i'))
call('UNLINK', at('n'))
call('ZREM', P .. 'names', ns)
call('ZREM', P .. 'due', ns)
call('ZREM', P .. 'graves', ns)
call('SADD', P .. 'drop', ns)
call('PUBLISH', ARGV[3], ARGV[2] .. ns .. struct.pack('>ddd', 0, 0, 0))
return rows
`;

/** ARGV: namespace, limit, then every kind. Removes rows of a dropped namespace; answers 1 when none is left. */
export const REMOVE_DROPPED = `${PRELUDE}
ns = ARGV[1]
if call('SISMEMBER', P .. 'drop', ns) == 0 then return 1 end
local left = tonumber(ARGV[2])
for i = 3, #ARGV do
  for _, id in ipairs(left > 0 and call('ZRANGE', at('k', ARGV[i]), 0, left - 1) or {}) do
    unlink(id, known(id))
    left = left - 1
  end
end
if left == 0 then return 0 end
call('UNLINK', at('i'), at('d'), at('t'), at('x'))
call('SREM', P .. 'drop', ns)
return 1
`;

/** ARGV: now, tombstones older than this are due. Answers whether anything is due, and the namespaces that are being removed. */
export const WAITING = `
local function due(part, bound) return redis.call('ZCOUNT', KEYS[1] .. part, '-inf', bound) > 0 end
local waiting = redis.call('SMEMBERS', KEYS[1] .. 'drop')
table.insert(waiting, 1, (due('due', ARGV[1]) or due('graves', ARGV[2])) and 1 or 0)
return waiting
`;

/** ARGV: now, tombstones older than this go, limit of rows. Answers whether there is more, then namespace, id and row in turn. */
export const SWEEP = `${PRELUDE}
now = tonumber(ARGV[1])
local limit, budget = tonumber(ARGV[3]), tonumber(ARGV[3]) + 100
local swept = { 0 }

local function renew(key, dates)
  local first = call('ZRANGE', at(dates), 0, 0, 'WITHSCORES')[2]
  if first then call('ZADD', P .. key, first, ns) else call('ZREM', P .. key, ns) end
  return first and tonumber(first)
end

for _, name in ipairs(call('ZRANGEBYSCORE', P .. 'due', '-inf', now, 'LIMIT', 0, budget)) do
  if limit == 0 or budget == 0 then break end
  enter(name)
  for _, id in ipairs(call('ZRANGEBYSCORE', at('d'), '-inf', now, 'LIMIT', 0, math.min(limit, budget))) do
    local row = known(id)
    if row then
      local value = call('GET', at('r', id))
      expire(id, row)
      budget = budget - 1
      if value then
        limit = limit - 1
        swept[#swept + 1] = ns
        swept[#swept + 1] = id
        swept[#swept + 1] = value
      end
    end
  end
  due = renew('due', 'd')
  leave()
end

for _, name in ipairs(call('ZRANGEBYSCORE', P .. 'graves', '-inf', ARGV[2], 'LIMIT', 0, 100)) do
  if enter(name) then
    local old = call('ZRANGEBYSCORE', at('x'), '-inf', ARGV[2], 'LIMIT', 0, 1000)
    for _, id in ipairs(old) do
      call('ZREM', at('x'), id)
      call('ZREM', at('t'), id)
    end
    if #old > 0 then epoch = epoch + 1 end
    leave()
  end
  renew('graves', 'x')
end
local function waits(key, bound) return call('ZCOUNT', P .. key, '-inf', bound) > 0 end
if waits('due', now) or waits('graves', ARGV[2]) then swept[1] = 1 end
return swept
`;
