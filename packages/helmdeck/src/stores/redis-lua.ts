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

/**
 * ARGV: the head (namespace, sender, generation, now, grace, then the channel), and one argument for each op: its type,
 * a put's or a delete's id and expected revision or -1, and a put's row as `packRow` makes it. Few arguments, because
 * each costs the client more than reading it here. Answers seq and deleted, or -1 for gone, -2 for rev.
 */
export const APPLY = `${PRELUDE}
local function lifetime(expires, group)
  local ms = expires >= 0 and math.max(0, expires - now) + grace or nil
  local parents = group ~= '' and call('PTTL', at('r', group)) or -1
  if parents >= 0 and (not ms or parents < ms) then ms = math.max(1, parents) end
  return ms
end

local function live_as_long(id, seen)
  if seen[id] then return end
  seen[id] = true
  for _, child in ipairs(call('ZRANGE', at('g', id), 0, -1)) do
    local row = known(child)
    local ms = row and lifetime(row.expires, row.group)
    if ms then call('PEXPIRE', at('r', child), string.format('%.0f', ms))
    else call('PERSIST', at('r', child)) end
    live_as_long(child, seen)
  end
end

local function text_at(op, position)
  local length = string.byte(op, position)
  return string.sub(op, position + 1, position + length), position + 1 + length
end

local function put(id, op)
  local kind, group_at = text_at(op, 26)
  local group, numbers_at = text_at(op, group_at)
  local rev, _, _, expires = struct.unpack('>dddd', op, numbers_at)
  if expires ~= expires then expires = -1 end
  local bytes = #op - numbers_at - 31
  local old = current(id)
  seq = seq + 1
  local value = struct.pack('>d', seq) .. string.sub(op, 26)
  local ms = lifetime(expires, group)
  if ms then call('SET', at('r', id), value, 'PX', string.format('%.0f', ms))
  else call('SET', at('r', id), value) end
  call('HSET', at('i'), id, struct.pack('>dddd', seq, rev, expires, bytes) .. string.char(#kind) .. kind .. group)
  if old then
    if old.kind ~= kind then call('ZREM', at('k', old.kind), id) end
    if old.group ~= '' and old.group ~= group then call('ZREM', at('g', old.group), id) end
    if old.expires >= 0 and expires < 0 then call('ZREM', at('d'), id) end
    count(old.kind, -1, 0 - old.bytes)
  end
  call('ZADD', at('k', kind), seq, id)
  if group ~= '' then call('ZADD', at('g', group), seq, id) end
  if expires >= 0 then
    call('ZADD', at('d'), expires, id)
    if not due or expires < due then
      due = expires
      call('ZADD', P .. 'due', due, ns)
    end
  end
  count(kind, 1, bytes)
  if not old or old.expires ~= expires then live_as_long(id, {}) end
end

local function delete(id)
  local row = current(id)
  fresh = {}
  if not row then return 0 end
  remove(id, row)
  seq = seq + 1
  bury(id, seq)
  return 1
end

local function matching(group, limit, kinds)
  local matched, lapsed, wanted = {}, {}, {}
  local function take(ids)
    for _, id in ipairs(ids) do
      if #matched == limit then return end
      local row = known(id)
      if row and wanted[row.kind] then
        if here(id) then matched[#matched + 1] = id else lapsed[#lapsed + 1] = id end
      end
    end
  end
  for _, kind in ipairs(kinds) do wanted[kind] = true end
  if group ~= '' then
    take(call('ZRANGE', at('g', group), 0, -1))
  else
    for _, kind in ipairs(kinds) do take(call('ZRANGE', at('k', kind), 0, limit < 0 and -1 or limit + 100)) end
  end
  return matched, lapsed
end

local function delete_where(op)
  local limit = struct.unpack('>d', op, 2)
  local group, next_at = text_at(op, 10)
  local kinds, matched, lapsed = {}, nil, nil
  while next_at <= #op do kinds[#kinds + 1], next_at = text_at(op, next_at) end
  fresh = {}
  repeat
    matched, lapsed = matching(group, limit, kinds)
    for _, id in ipairs(lapsed) do current(id) end
  until #lapsed == 0
  for _, id in ipairs(matched) do
    local row = known(id)
    if row then remove(id, row) end
  end
  if #matched == 0 then return 0 end
  seq, epoch = seq + 1, epoch + 1
  return #matched
end

local head = ARGV[1]
local generation, sent, patience = struct.unpack('>ddd', head, 25)
local first_kind = #ARGV > 1 and string.sub(ARGV[2], 1, 1) == 'p' and text_at(ARGV[2], 26) or nil
if tonumber(enter(string.sub(head, 1, 16), first_kind) or '') ~= generation then return { -1, 0 } end
now, grace = sent, patience

for i = 2, #ARGV do
  local op = ARGV[i]
  local expected = string.sub(op, 1, 1) ~= 'w' and struct.unpack('>d', op, 18) or -1
  if expected >= 0 then
    local id = string.sub(op, 2, 17)
    local row = known(id)
    local there = row and here(id)
    if (there and row.rev or 0) ~= expected then return { -2, 0 } end
    if there or not row then fresh[id] = row or false end
  end
end

local before, deleted = seq, 0
for i = 2, #ARGV do
  local op = ARGV[i]
  local type, id = string.sub(op, 1, 1), string.sub(op, 2, 17)
  if type == 'p' then put(id, op)
  elseif type == 'd' then deleted = deleted + delete(id)
  else deleted = deleted + delete_where(op) end
end
leave()
if seq ~= before then
  call('PUBLISH', string.sub(head, 49), string.sub(head, 17, 24) .. ns .. struct.pack('>dd', before, seq))
end
return { seq, deleted }
`;
