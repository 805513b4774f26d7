-- Counts live rows and their bytes. ARGV: now, lower bound of namespaces, limit of namespaces; or now, '-', '0', one
-- namespace. Returns the namespace to continue after ('' at the end), and { namespace, kind, rows, bytes } for each kind.
-- include packed-layout.lua
-- include prelude.lua
now = tonumber(ARGV[1])
local function subtract_family(id, row, subtracted)
  if subtracted[id] then return end
  subtracted[id] = true
  add_usage(row.kind, -1, 0 - row.bytes)
  for _, child in ipairs(call('ZRANGE', key('g', id), 0, -1)) do
    local child_row = row_info(child)
    if child_row then subtract_family(child, child_row, subtracted) end
  end
end

local result = {}
local function read_usage(id)
  if not load_namespace(id) then return end
  local record = call('HGETALL', key('n'))
  for i = 1, #record, 2 do
    local kind = string.match(record[i], '^u(.+)$')
    if kind then usage_by_kind[kind] = parse_usage(record[i + 1]) end
  end
  local subtracted = {}
  for _, expired in ipairs(call('ZRANGEBYSCORE', key('d'), '-inf', now)) do
    subtract_family(expired, row_info(expired), subtracted)
  end
  for kind, usage in pairs(usage_by_kind) do
    if usage[1] > 0 then result[#result + 1] = { id, kind, usage[1], usage[2] } end
  end
end

if ARGV[4] then
  read_usage(ARGV[4])
  return { '', result }
end
local names = call('ZRANGEBYLEX', TAG .. 'names', ARGV[2], '+', 'LIMIT', 0, ARGV[3])
for _, name in ipairs(names) do read_usage(name) end
return { #names == tonumber(ARGV[3]) and names[#names] or '', result }
