-- Removes rows of a dropped namespace. ARGV: namespace, limit, every kind... Returns 1 when none is left, 0 otherwise.
-- include packed-layout.lua
-- include prelude.lua
ns = ARGV[1]
if call('SISMEMBER', TAG .. 'drop', ns) == 0 then return 1 end
local budget = tonumber(ARGV[2])
for i = 3, #ARGV do
  for _, id in ipairs(budget > 0 and call('ZRANGE', key('k', ARGV[i]), 0, budget - 1) or {}) do
    remove_row(id, row_info(id))
    budget = budget - 1
  end
end
if budget == 0 then return 0 end
call('UNLINK', key('i'), key('d'), key('t'), key('x'))
call('SREM', TAG .. 'drop', ns)
return 1
