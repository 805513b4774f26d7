/*
 * What the scripts share. `KEYS[1]` is the tag of a bucket, with which all of its keys begin:
 *
 *   names   namespaces of the bucket, in the order of their ids
 *   due     namespace → when its first row expires; graves: namespace → age of its oldest tombstone; both may say too early
 *   drop    namespaces whose rows are still being removed
 *
 * and per namespace:
 *
 *   n       its record: generation, blob, seq, epoch, what `due` says of it (m), rows and bytes of each kind (u<kind>)
 *   r<id>   a row, with a time to live                        i     id → what is known of a row beside its body
 *   k<kind> g<group>   ids by seq                             d     ids by expiry
 *   t       tombstones: ids by seq                            x     tombstones: ids by age
 *
 * A row that expired while nobody swept is taken by Redis itself: `r<id>` is gone and the rest is not. Such a row has
 * lapsed: to readers it is not there, and whoever meets it first tidies up after it, exactly as a sweep would have.
 *
 * A script that fails half-way would leave half a batch. Redis refuses the first write of a script when it has no memory
 * left, is a replica or cannot write its log, and none after it; so the first write is a SET, or takes something away.
 */
export const PRELUDE = `
local P = KEYS[1]
local call = redis.call
local ns, seq, epoch, due, now, grace, loaded
local counts, fresh = {}, {}

local function at(part, name) return P .. ns .. part .. (name or '') end

local function sum_of(text)
  local rows, bytes = string.match(text or '0 0', '^(%d+) (%d+)$')
  rows, bytes = tonumber(rows), tonumber(bytes)
  return { rows, bytes, rows, bytes }
end

local function enter(id, kind)
  ns = id
  local record = call('HMGET', at('n'), 's', 'e', 'g', 'm', 'u' .. (kind or ''))
  if not record[1] then return nil end
  seq, epoch, due = tonumber(record[1]), tonumber(record[2]), tonumber(record[4] or '')
  loaded = { seq, epoch, due }
  counts, fresh = {}, {}
  if kind then counts[kind] = sum_of(record[5]) end
  return record[3]
end

local function count(kind, rows, bytes)
  local sum = counts[kind] or sum_of(call('HGET', at('n'), 'u' .. kind))
  counts[kind] = sum
  sum[1], sum[2] = sum[1] + rows, sum[2] + bytes
end

local function leave()
  local set = {}
  local function add(field, value)
    set[#set + 1] = field
    set[#set + 1] = value
  end
  if seq ~= loaded[1] then add('s', seq) end
  if epoch ~= loaded[2] then add('e', epoch) end
  if due ~= loaded[3] then add('m', due or '') end
  for kind, sum in pairs(counts) do
    if sum[1] ~= sum[3] or sum[2] ~= sum[4] then add('u' .. kind, string.format('%.0f %.0f', sum[1], sum[2])) end
  end
  if #set > 0 then call('HSET', at('n'), unpack(set)) end
end

local function known(id)
  local packed = call('HGET', at('i'), id)
  if not packed then return nil end
  local row = {}
  row.seq, row.rev, row.expires, row.bytes = struct.unpack('>dddd', packed)
  local kind = string.byte(packed, 33)
  row.kind = string.sub(packed, 34, 33 + kind)
  row.group = string.sub(packed, 34 + kind)
  return row
end

local function unlink(id, row)
  call('UNLINK', at('r', id))
  call('HDEL', at('i'), id)
  call('ZREM', at('k', row.kind), id)
  if row.group ~= '' then call('ZREM', at('g', row.group), id) end
  if row.expires >= 0 then call('ZREM', at('d'), id) end
  count(row.kind, -1, 0 - row.bytes)
end

local function remove(id, row)
  unlink(id, row)
  for _, child in ipairs(call('ZRANGE', at('g', id), 0, -1)) do
    local below = known(child)
    if below then remove(child, below) end
  end
end

local function bury(id, position)
  call('ZADD', at('t'), position, id)
  call('ZADD', at('x'), now, id)
  call('ZADD', P .. 'graves', 'LT', now, ns)
end

local function expire(id, row)
  fresh = {}
  remove(id, row)
  if row.rev > 1 then bury(id, row.seq) end
end

local function here(id) return call('EXISTS', at('r', id)) == 1 end

local function current(id)
  local row = fresh[id]
  if row ~= nil then
    fresh[id] = nil
    return row or nil
  end
  row = known(id)
  if row and not here(id) then
    expire(id, row)
    return nil
  end
  return row
end
`;
