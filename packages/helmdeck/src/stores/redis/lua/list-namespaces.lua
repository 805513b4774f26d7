-- Lists namespaces ordered by id. ARGV: lower bound, limit. Returns id, generation, blob, id, generation, blob...
-- include packed-layout.lua
-- include prelude.lua
local result = {}
for _, name in ipairs(call('ZRANGEBYLEX', TAG .. 'names', ARGV[1], '+', 'LIMIT', 0, ARGV[2])) do
  ns = name
  local record = call('HMGET', key('n'), 'g', 'b')
  result[#result + 1] = name
  result[#result + 1] = record[1]
  result[#result + 1] = record[2]
end
return result
