-- Reports whether a sweep has work in a bucket. ARGV: now, the time up to which tombstones are pruned. Returns 1 if a row
-- expired or a tombstone is due, 0 otherwise; then the dropped namespaces whose rows are still being removed.
local function has_due(part, bound) return redis.call('ZCOUNT', KEYS[1] .. part, '-inf', bound) > 0 end
local result = redis.call('SMEMBERS', KEYS[1] .. 'drop')
table.insert(result, 1, (has_due('due', ARGV[1]) or has_due('graves', ARGV[2])) and 1 or 0)
return result
