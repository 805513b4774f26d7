-- Deletes the record of a namespace, and with it the only copy of its key. ARGV: namespace, sender, channel. Returns
-- how many rows are left for remove-dropped.lua.
-- include packed-layout.lua
-- include prelude.lua
if not load_namespace(ARGV[1]) then return 0 end
local rows = call('HLEN', key('i'))
call('UNLINK', key('n'))
call('ZREM', TAG .. 'names', ns)
call('ZREM', TAG .. 'due', ns)
call('ZREM', TAG .. 'graves', ns)
call('SADD', TAG .. 'drop', ns)
call('PUBLISH', ARGV[3], ARGV[2] .. ns .. struct.pack('>ddd', 0, 0, 0))
return rows
