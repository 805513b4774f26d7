-- Applies a batch. ARGV: the batch header, then one op each; few arguments, because each costs the client more than
-- unpacking it costs here. Returns { seq, deleted }; seq is -1 if the namespace is gone, -2 if a precondition failed.
-- include packed-layout.lua
-- include insert-one-row.lua
-- include prelude.lua

-- Milliseconds until Redis removes a row: its own expiry or its parent's, whichever is earlier; nil for never.
local function time_to_live(expires, group)
  if grace < 0 then return nil end
  local ttl_ms = expires >= 0 and math.max(0, expires - now) + grace or nil
  local parent_ttl_ms = group ~= '' and call('PTTL', key('r', group)) or -1
  if parent_ttl_ms >= 0 and (not ttl_ms or parent_ttl_ms < ttl_ms) then ttl_ms = math.max(1, parent_ttl_ms) end
  return ttl_ms
end

-- Updates the time to live of all descendants of a row.
local function renew_descendants(id, seen)
  if seen[id] then return end
  seen[id] = true
  for _, child in ipairs(call('ZRANGE', key('g', id), 0, -1)) do
    local row = row_info(child)
    local ttl_ms = row and time_to_live(row.expires, row.group)
    if ttl_ms then call('PEXPIRE', key('r', child), string.format('%.0f', ttl_ms))
    else call('PERSIST', key('r', child)) end
    renew_descendants(child, seen)
  end
end

-- Reads a text after its length; also returns the position behind it.
local function text_at(op, position)
  local length = string.byte(op, position)
  return string.sub(op, position + 1, position + length), position + 1 + length
end

local function put(id, op)
  local kind, group_at = text_at(op, OP_ROW)
  local group, numbers_at = text_at(op, group_at)
  local rev, _, _, expires = struct.unpack('>dddd', op, numbers_at)
  if expires ~= expires then expires = -1 end
  local bytes = #op - numbers_at - ROW_NUMBERS_BYTES + 1
  local old = current_row(id)
  seq = seq + 1
  local value = struct.pack('>d', seq) .. string.sub(op, OP_ROW)
  local ttl_ms = time_to_live(expires, group)
  if ttl_ms then call('SET', key('r', id), value, 'PX', string.format('%.0f', ttl_ms))
  else call('SET', key('r', id), value) end
  local info = struct.pack('>dddd', seq, rev, expires, bytes) .. string.char(#kind) .. kind .. group
  call('HSET', key('i'), id, info)
  if old then
    if old.kind ~= kind then call('ZREM', key('k', old.kind), id) end
    if old.group ~= '' and old.group ~= group then call('ZREM', key('g', old.group), id) end
    if old.expires >= 0 and expires < 0 then call('ZREM', key('d'), id) end
    add_usage(old.kind, -1, 0 - old.bytes)
  end
  call('ZADD', key('k', kind), seq, id)
  if group ~= '' then call('ZADD', key('g', group), seq, id) end
  if expires >= 0 then
    call('ZADD', key('d'), expires, id)
    if not due or expires < due then
      due = expires
      call('ZADD', TAG .. 'due', due, ns)
    end
  end
  add_usage(kind, 1, bytes)
  if old and old.expires ~= expires then renew_descendants(id, {}) end
end

local function delete(id)
  local row = current_row(id)
  checked = {}
  if not row then return 0 end
  remove_family(id, row)
  seq = seq + 1
  write_tombstone(id, seq)
  return 1
end

-- Ids of up to `limit` rows that match, and of the lapsed ones found on the way.
local function matching_rows(group, limit, kinds)
  local matched, lapsed, wanted = {}, {}, {}
  local function collect(ids)
    for _, id in ipairs(ids) do
      if #matched == limit then return end
      local row = row_info(id)
      if row and wanted[row.kind] then
        if has_body(id) then matched[#matched + 1] = id else lapsed[#lapsed + 1] = id end
      end
    end
  end
  for _, kind in ipairs(kinds) do wanted[kind] = true end
  if group ~= '' then
    collect(call('ZRANGE', key('g', group), 0, -1))
  else
    for _, kind in ipairs(kinds) do collect(call('ZRANGE', key('k', kind), 0, limit < 0 and -1 or limit + 100)) end
  end
  return matched, lapsed
end

local function delete_where(op)
  local limit = struct.unpack('>d', op, WHERE_LIMIT)
  local group, next_at = text_at(op, WHERE_GROUP)
  local kinds, matched, lapsed = {}, nil, nil
  while next_at <= #op do kinds[#kinds + 1], next_at = text_at(op, next_at) end
  checked = {}
  -- Lapsed rows use up part of the range that is read: remove them and read it again.
  repeat
    matched, lapsed = matching_rows(group, limit, kinds)
    for _, id in ipairs(lapsed) do current_row(id) end
  until #lapsed == 0
  for _, id in ipairs(matched) do
    local row = row_info(id)
    if row then remove_family(id, row) end
  end
  if #matched == 0 then return 0 end
  seq, epoch = seq + 1, epoch + 1
  return #matched
end

local header = ARGV[1]
local generation, sent_now, sent_grace = struct.unpack('>ddd', header, HEADER_NUMBERS)
local first_kind = #ARGV > 1 and string.sub(ARGV[2], 1, 1) == 'p' and text_at(ARGV[2], OP_ROW) or nil
local found = load_namespace(string.sub(header, HEADER_NS, HEADER_NS_END), first_kind)
if tonumber(found or '') ~= generation then return { -1, 0 } end
now, grace = sent_now, sent_grace

for i = 2, #ARGV do
  local op = ARGV[i]
  local expected = string.sub(op, 1, 1) ~= 'w' and struct.unpack('>d', op, OP_EXPECTED_REV) or -1
  if expected >= 0 then
    local id = string.sub(op, OP_ID, OP_ID_END)
    local row = row_info(id)
    local exists = row and has_body(id)
    if (exists and row.rev or 0) ~= expected then return { -2, 0 } end
    if exists or not row then checked[id] = row or false end
  end
end

local seq_before, deleted = seq, 0
for i = 2, #ARGV do
  local op = ARGV[i]
  local type, id = string.sub(op, 1, 1), string.sub(op, OP_ID, OP_ID_END)
  if type == 'p' then put(id, op)
  elseif type == 'd' then deleted = deleted + delete(id)
  else deleted = deleted + delete_where(op) end
end
save_namespace()
if seq ~= seq_before then
  local sender = string.sub(header, HEADER_SENDER, HEADER_SENDER_END)
  local notice = sender .. ns .. struct.pack('>ddd', seq_before, seq, deleted)
  call('PUBLISH', string.sub(header, HEADER_CHANNEL), notice)
end
return { seq, deleted }
