-- Removes expired rows and prunes tombstones. ARGV: now, the time up to which tombstones are pruned, limit of rows.
-- Returns 1 if there is more to do, 0 otherwise; then namespace, id and stored row of each row removed.
-- include packed-layout.lua
-- include prelude.lua
local EXTRA_ROWS = 100
local MAX_NAMESPACES = 100
local MAX_TOMBSTONES = 1000

now = tonumber(ARGV[1])
-- Lapsed rows count against the budget only: they are not returned.
local limit, budget = tonumber(ARGV[3]), tonumber(ARGV[3]) + EXTRA_ROWS
local result = { 0 }

-- Sets the time of a namespace in `due` or `graves` to the first one of its rows or tombstones.
local function update_time(index, times)
  local first = call('ZRANGE', key(times), 0, 0, 'WITHSCORES')[2]
  if first then call('ZADD', TAG .. index, first, ns) else call('ZREM', TAG .. index, ns) end
  return first and tonumber(first)
end

for _, name in ipairs(call('ZRANGEBYSCORE', TAG .. 'due', '-inf', now, 'LIMIT', 0, budget)) do
  if limit == 0 or budget == 0 then break end
  load_namespace(name)
  for _, id in ipairs(call('ZRANGEBYSCORE', key('d'), '-inf', now, 'LIMIT', 0, math.min(limit, budget))) do
    local row = row_info(id)
    if row then
      local value = call('GET', key('r', id))
      expire(id, row)
      budget = budget - 1
      if value then
        limit = limit - 1
        result[#result + 1] = ns
        result[#result + 1] = id
        result[#result + 1] = value
      end
    end
  end
  due = update_time('due', 'd')
  save_namespace()
end

for _, name in ipairs(call('ZRANGEBYSCORE', TAG .. 'graves', '-inf', ARGV[2], 'LIMIT', 0, MAX_NAMESPACES)) do
  if load_namespace(name) then
    local old = call('ZRANGEBYSCORE', key('x'), '-inf', ARGV[2], 'LIMIT', 0, MAX_TOMBSTONES)
    for _, id in ipairs(old) do
      call('ZREM', key('x'), id)
      call('ZREM', key('t'), id)
    end
    if #old > 0 then epoch = epoch + 1 end
    save_namespace()
  end
  update_time('graves', 'x')
end
local function has_due(index, bound) return call('ZCOUNT', TAG .. index, '-inf', bound) > 0 end
if has_due('due', now) or has_due('graves', ARGV[2]) then result[1] = 1 end
return result
