-- Replaces the blob of a namespace (compare and set). ARGV: namespace, generation, expected blob, new blob. Returns 1
-- if it was replaced, 0 otherwise.
-- include packed-layout.lua
-- include prelude.lua
ns = ARGV[1]
local record = call('HMGET', key('n'), 'g', 'b')
if record[1] ~= ARGV[2] or record[2] ~= ARGV[3] then return 0 end
call('HSET', key('n'), 'b', ARGV[4])
return 1
