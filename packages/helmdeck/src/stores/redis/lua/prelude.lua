-- Shared by the scripts that work on a namespace. KEYS[1] is the tag of a bucket, the prefix of all its keys:
--
--   names   sorted set: namespaces of the bucket, ordered by id
--   due     sorted set: namespace by the expiry of its first row
--   graves  sorted set: namespace by the time of its oldest tombstone
--   drop    set: dropped namespaces whose rows are still being removed
--
-- The times in due and graves may be too early, never too late. After the tag and the id of a namespace come:
--
--   n         hash: its record: generation (g), blob (b), seq (s), epoch (e), its time in `due` (m), rows and bytes of
--             each kind (u<kind>)
--   r<id>     string: a row; in a cache with a time to live
--   i         hash: id to row info, which is what scripts need to know of a row without its body
--   k<kind>   sorted set: ids of a kind by seq
--   g<group>  sorted set: ids of a group by seq
--   d         sorted set: ids by expiry
--   t         sorted set: tombstones, ids by seq
--   x         sorted set: tombstones, ids by time
--
-- A row whose time to live ends before a sweep reaches it is removed by Redis: r<id> is gone, everything else is still
-- there. Such a row has lapsed: readers do not see it, and the first script that finds it removes the rest, as a
-- sweep would have done.
--
-- A script that fails half-way would leave half a batch. When Redis is out of memory, is a replica or cannot write its
-- AOF, it refuses the first write of a script and no later one; so the first write is one that it refuses then (SET,
-- HSETNX), or one that removes something.
local TAG = KEYS[1]
local call = redis.call
local ns, seq, epoch, due, now, grace, loaded
local usage_by_kind = {}
-- Row info read while preconditions were checked: false for no row. It is valid until the first removal.
local checked = {}

local function key(part, name) return TAG .. ns .. part .. (name or '') end

-- Current rows and bytes, then the same as they were loaded.
local function parse_usage(text)
  local rows, bytes = string.match(text or '0 0', '^(%d+) (%d+)$')
  rows, bytes = tonumber(rows), tonumber(bytes)
  return { rows, bytes, rows, bytes }
end

-- Loads the record of a namespace, with the usage of one kind if given. Returns its generation, nil for no namespace.
local function load_namespace(id, kind)
  ns = id
  local record = call('HMGET', key('n'), 's', 'e', 'g', 'm', 'u' .. (kind or ''))
  if not record[1] then return nil end
  seq, epoch, due = tonumber(record[1]), tonumber(record[2]), tonumber(record[4] or '')
  loaded = { seq, epoch, due }
  usage_by_kind, checked = {}, {}
  if kind then usage_by_kind[kind] = parse_usage(record[5]) end
  return record[3]
end

local function add_usage(kind, rows, bytes)
  local usage = usage_by_kind[kind] or parse_usage(call('HGET', key('n'), 'u' .. kind))
  usage_by_kind[kind] = usage
  usage[1], usage[2] = usage[1] + rows, usage[2] + bytes
end

-- Writes the fields of the record that changed since load_namespace.
local function save_namespace()
  local fields = {}
  local function add(field, value)
    fields[#fields + 1] = field
    fields[#fields + 1] = value
  end
  if seq ~= loaded[1] then add('s', seq) end
  if epoch ~= loaded[2] then add('e', epoch) end
  if due ~= loaded[3] then add('m', due or '') end
  for kind, usage in pairs(usage_by_kind) do
    if usage[1] ~= usage[3] or usage[2] ~= usage[4] then
      add('u' .. kind, string.format('%.0f %.0f', usage[1], usage[2]))
    end
  end
  if #fields > 0 then call('HSET', key('n'), unpack(fields)) end
end

local function row_info(id)
  local packed = call('HGET', key('i'), id)
  if not packed then return nil end
  local row = {}
  row.seq, row.rev, row.expires, row.bytes = struct.unpack('>dddd', packed)
  local group_at = INFO_KIND + 1 + string.byte(packed, INFO_KIND)
  row.kind = string.sub(packed, INFO_KIND + 1, group_at - 1)
  row.group = string.sub(packed, group_at)
  return row
end

local function remove_row(id, row)
  call('UNLINK', key('r', id))
  call('HDEL', key('i'), id)
  call('ZREM', key('k', row.kind), id)
  if row.group ~= '' then call('ZREM', key('g', row.group), id) end
  if row.expires >= 0 then call('ZREM', key('d'), id) end
  add_usage(row.kind, -1, 0 - row.bytes)
end

-- Removes a row with all its descendants.
local function remove_family(id, row)
  remove_row(id, row)
  for _, child in ipairs(call('ZRANGE', key('g', id), 0, -1)) do
    local child_row = row_info(child)
    if child_row then remove_family(child, child_row) end
  end
end

local function write_tombstone(id, position)
  call('ZADD', key('t'), position, id)
  call('ZADD', key('x'), now, id)
  call('ZADD', TAG .. 'graves', 'LT', now, ns)
end

local function expire(id, row)
  checked = {}
  remove_family(id, row)
  if row.rev > 1 then write_tombstone(id, row.seq) end
end

local function has_body(id) return call('EXISTS', key('r', id)) == 1 end

-- The info of a row that has not lapsed; one that has is removed.
local function current_row(id)
  local row = checked[id]
  if row ~= nil then
    checked[id] = nil
    return row or nil
  end
  row = row_info(id)
  if row and not has_body(id) then
    expire(id, row)
    return nil
  end
  return row
end
