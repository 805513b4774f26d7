/*
 * What the scripts share. `KEYS[1]` is the tag of a bucket, with which all of its keys begin:
 *
 *   names   namespaces of the bucket, in the order of their ids
 *   due     namespace → when its first row expires; graves: namespace → age of its oldest tombstone; both may say too early
 *   drop    namespaces whose rows are still being removed
 *
 * and per namespace:
 *
 *   n       its record: generation, blob, seq, epoch          u     rows and bytes by kind
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
local ns, seq, epoch, now, grace
local head
local counts = {}

local function at(part, name) return P .. ns .. part .. (name or '') end

local function enter(id)
  ns = id
  counts = {}
  local record = call('HMGET', at('n'), 's', 'e', 'g')
  if not record[1] then return nil end
  seq, epoch = tonumber(record[1]), tonumber(record[2])
  head = { seq, epoch }
  return record[3]
end

local function count(kind, rows, bytes)
  local sum = counts[kind] or { 0, 0 }
  counts[kind] = { sum[1] + rows, sum[2] + bytes }
end

local function leave()
  if seq ~= head[1] or epoch ~= head[2] then call('HSET', at('n'), 's', seq, 'e', epoch) end
  for kind, sum in pairs(counts) do
    if sum[1] ~= 0 then call('HINCRBY', at('u'), kind, sum[1]) end
    if sum[2] ~= 0 then call('HINCRBY', at('u'), kind .. '#', sum[2]) end
  end
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
  remove(id, row)
  if row.rev > 1 then bury(id, row.seq) end
end

local function here(id) return call('EXISTS', at('r', id)) == 1 end

local function current(id)
  local row = known(id)
  if row and not here(id) then
    expire(id, row)
    return nil
  end
  return row
end

local function first_score(key)
  return call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]
end
`;

/** ARGV: namespace, generation, now, grace, sender, channel, then ops. Answers seq and deleted, or -1 for gone, -2 for rev. */
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

local function put(id, kind, group, rev, expires, bytes, packed)
  local old = current(id)
  seq = seq + 1
  local value = struct.pack('>d', seq) .. packed
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
    call('ZADD', P .. 'due', 'LT', expires, ns)
  end
  count(kind, 1, bytes)
  if not old or old.expires ~= expires then live_as_long(id, {}) end
end

local function delete(id)
  local row = current(id)
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

local function delete_where(group, limit, kinds)
  local matched, lapsed
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

local generation = enter(ARGV[1])
if generation ~= ARGV[2] then return { -1, 0 } end
now, grace = tonumber(ARGV[3]), tonumber(ARGV[4])

local ops, next_arg = {}, 7
while next_arg <= #ARGV do
  local op = { at = next_arg, type = ARGV[next_arg], id = ARGV[next_arg + 1], if_rev = ARGV[next_arg + 2] }
  if op.type == 'w' then next_arg = next_arg + 4 + tonumber(ARGV[next_arg + 3])
  elseif op.type == 'd' then next_arg = next_arg + 3
  else next_arg = next_arg + 9 end
  if op.type ~= 'w' and op.if_rev ~= '' then
    local row = known(op.id)
    local rev = row and here(op.id) and row.rev or 0
    if rev ~= tonumber(op.if_rev) then return { -2, 0 } end
  end
  ops[#ops + 1] = op
end
if #ops == 0 then return { seq, 0 } end

local before, deleted = seq, 0
for _, op in ipairs(ops) do
  local i = op.at
  if op.type == 'p' then
    put(op.id, ARGV[i + 3], ARGV[i + 4], tonumber(ARGV[i + 5]), tonumber(ARGV[i + 6]), tonumber(ARGV[i + 7]), ARGV[i + 8])
  elseif op.type == 'd' then
    deleted = deleted + delete(op.id)
  else
    local kinds = {}
    for k = 1, tonumber(ARGV[i + 3]) do kinds[k] = ARGV[i + 3 + k] end
    deleted = deleted + delete_where(op.id, tonumber(op.if_rev), kinds)
  end
end
leave()
if seq ~= before then call('PUBLISH', ARGV[6], ARGV[5] .. ns .. struct.pack('>ddd', before, seq, deleted)) end
return { seq, deleted }
`;
