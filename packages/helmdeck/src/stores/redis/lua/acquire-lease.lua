-- Takes or renews a lease. ARGV: holder, milliseconds. Returns 1 if the holder has it, 0 if another one does.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
