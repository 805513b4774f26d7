-- Creates a namespace unless it exists. ARGV: namespace, generation, epoch, blob. Returns the generation and the blob
-- that are stored afterwards; nothing while the rows of a dropped predecessor are still being removed.
-- include packed-layout.lua
-- include prelude.lua
ns = ARGV[1]
if call('SISMEMBER', TAG .. 'drop', ns) == 1 then return {} end
if call('EXISTS', key('n')) == 0 then
  call('HSET', key('n'), 'g', ARGV[2], 'b', ARGV[4], 's', 0, 'e', ARGV[3])
  call('ZADD', TAG .. 'names', 0, ns)
end
return call('HMGET', key('n'), 'g', 'b')
