-- Fast path: a batch that creates one row is the most frequent write, and creating the functions of the general path
-- costs as much again. If the id is taken, nothing was written yet, and the general path finds out why.
if #ARGV == 2 and string.sub(ARGV[2], 1, 1) == 'p' and struct.unpack('>d', ARGV[2], OP_EXPECTED_REV) == 0 then
  local call, sub, header, op = redis.call, string.sub, ARGV[1], ARGV[2]
  local generation, now, grace = struct.unpack('>ddd', header, HEADER_NUMBERS)
  local group_at = OP_ROW + 1 + string.byte(op, OP_ROW)
  local numbers_at = group_at + 1 + string.byte(op, group_at)
  local packed_kind = sub(op, OP_ROW, group_at - 1)
  local kind, group = sub(packed_kind, 2), sub(op, group_at + 1, numbers_at - 1)
  local rev, _, _, expires = struct.unpack('>dddd', op, numbers_at)
  if expires ~= expires then expires = -1 end
  local bytes = #op - numbers_at - ROW_NUMBERS_BYTES + 1
  local ns, id = sub(header, HEADER_NS, HEADER_NS_END), sub(op, OP_ID, OP_ID_END)
  local space = KEYS[1] .. ns
  local record = call('HMGET', space .. 'n', 's', 'g', 'm', 'u' .. kind)
  if tonumber(record[2] or '') ~= generation then return { -1, 0 } end
  local seq_before, due = tonumber(record[1]), tonumber(record[3] or '')
  local seq = seq_before + 1
  local info = struct.pack('>dddd', seq, rev, expires, bytes) .. packed_kind .. group
  if call('HSETNX', space .. 'i', id, info) == 1 then
    local ttl_ms = grace >= 0 and expires >= 0 and math.max(0, expires - now) + grace or nil
    local parent_ttl_ms = grace >= 0 and group ~= '' and call('PTTL', space .. 'r' .. group) or -1
    if parent_ttl_ms >= 0 and (not ttl_ms or parent_ttl_ms < ttl_ms) then ttl_ms = math.max(1, parent_ttl_ms) end
    local value = struct.pack('>d', seq) .. sub(op, OP_ROW)
    if ttl_ms then call('SET', space .. 'r' .. id, value, 'PX', string.format('%.0f', ttl_ms))
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
    local used_rows, used_bytes = string.match(record[4] or '0 0', '^(%d+) (%d+)$')
    local used = string.format('%.0f %.0f', used_rows + 1, used_bytes + bytes)
    call('HSET', space .. 'n', 's', seq, 'm', due or '', 'u' .. kind, used)
    local sender = sub(header, HEADER_SENDER, HEADER_SENDER_END)
    call('PUBLISH', sub(header, HEADER_CHANNEL), sender .. ns .. struct.pack('>ddd', seq_before, seq, 0))
    return { seq, 0 }
  end
end
