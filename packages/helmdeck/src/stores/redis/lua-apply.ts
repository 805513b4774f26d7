import { PRELUDE } from './lua-prelude.ts';

/**
 * A new row alone, the most frequent write, goes straight on: making the functions of the rest costs as much again.
 * When the id is taken nothing was written yet, and the rest finds out why.
 */
const INSERT = `
if #ARGV == 2 and string.byte(ARGV[2]) == 112 and struct.unpack('>d', ARGV[2], 18) == 0 then
  local call, sub, head, op = redis.call, string.sub, ARGV[1], ARGV[2]
  local generation, now, grace = struct.unpack('>ddd', head, 25)
  local group_at = 27 + string.byte(op, 26)
  local numbers_at = group_at + 1 + string.byte(op, group_at)
  local kind, group = sub(op, 27, group_at - 1), sub(op, group_at + 1, numbers_at - 1)
  local rev, _, _, expires = struct.unpack('>dddd', op, numbers_at)
  if expires ~= expires then expires = -1 end
  local bytes = #op - numbers_at - 31
  local ns, id = sub(head, 1, 16), sub(op, 2, 17)
  local space = KEYS[1] .. ns
  local record = call('HMGET', space .. 'n', 's', 'g', 'm', 'u' .. kind)
  if tonumber(record[2] or '') ~= generation then return { -1, 0 } end
  local before, due = tonumber(record[1]), tonumber(record[3] or '')
  local seq = before + 1
  local known = struct.pack('>dddd', seq, rev, expires, bytes) .. sub(op, 26, group_at - 1) .. group
  if call('HSETNX', space .. 'i', id, known) == 1 then
    local ms = expires >= 0 and math.max(0, expires - now) + grace or nil
    local parents = group ~= '' and call('PTTL', space .. 'r' .. group) or -1
    if parents >= 0 and (not ms or parents < ms) then ms = math.max(1, parents) end
    local value = struct.pack('>d', seq) .. sub(op, 26)
    if ms then call('SET', space .. 'r' .. id, value, 'PX', string.format('%.0f', ms))
    else call('SET', space .. 'r' .. id, value) end
    call('ZADD', space .. 'k' .. kind, seq, id)
    if group ~= '' then call('ZADD', space .. 'g' .. group, seq, id) end
    if expires >= 0 then
      call('ZADD', space .. 'd', expires, id)
      if not due or expires < due then
        due = expires
        call('ZADD', KEYS[1] .. 'due', due, ns)
      end
    end
    local rows, sum = string.match(record[4] or '0 0', '^(%d+) (%d+)$')
    local used = string.format('%.0f %.0f', rows + 1, sum + bytes)
    call('HSET', space .. 'n', 's', seq, 'm', due or '', 'u' .. kind, used)
    call('PUBLISH', sub(head, 49), sub(head, 17, 24) .. ns .. struct.pack('>ddd', before, seq, 0))
    return { seq, 0 }
  end
end
`;

/**
 * ARGV: the head (namespace, sender, generation, now, grace, then the channel), and one argument for each op: its type,
 * a put's or a delete's id and expected revision or -1, and a put's row as `packRow` makes it. Few arguments, because
 * each costs the client more than reading it here. Answers seq and deleted, or -1 for gone, -2 for rev.
 */
export const APPLY = `${INSERT}${PRELUDE}
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
  if old and old.expires ~= expires then live_as_long(id, {}) end
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
  call('PUBLISH', string.sub(head, 49), string.sub(head, 17, 24) .. ns .. struct.pack('>ddd', before, seq, deleted))
end
return { seq, deleted }
`;
