-- Reads one page of rows ordered by seq. ARGV: namespace, lower bound, upper bound, '1' for newest first, limit, group
-- or '', kinds... Returns id, stored row, id, stored row...
-- include packed-layout.lua
-- include prelude.lua
ns = ARGV[1]
local after, before, newest_first, limit, group = ARGV[2], ARGV[3], ARGV[4] == '1', tonumber(ARGV[5]), ARGV[6]
local sources, wanted = {}, {}
for i = 7, #ARGV do
  wanted[ARGV[i]] = true
  if group == '' then sources[#sources + 1] = key('k', ARGV[i]) end
end
if group ~= '' then sources[1] = key('g', group) end

local function read_ids(source, count)
  if newest_first then return call('ZREVRANGEBYSCORE', source, before, after, 'WITHSCORES', 'LIMIT', 0, count) end
  return call('ZRANGEBYSCORE', source, after, before, 'WITHSCORES', 'LIMIT', 0, count)
end

local function kind_of(stored_row)
  return string.sub(stored_row, STORED_ROW + 1, STORED_ROW + string.byte(stored_row, STORED_ROW))
end

local page = {}
while true do
  local missing = limit - #page / 2
  local found, has_more = {}, false
  for _, source in ipairs(sources) do
    local ids = read_ids(source, missing)
    if #ids == missing * 2 then has_more = true end
    for i = 1, #ids, 2 do found[#found + 1] = { ids[i], tonumber(ids[i + 1]) } end
  end
  if #sources > 1 then
    table.sort(found, function(a, b)
      if newest_first then return a[2] > b[2] end
      return a[2] < b[2]
    end)
  end
  for i = 1, math.min(missing, #found) do
    local row = call('GET', key('r', found[i][1]))
    if row and wanted[kind_of(row)] then
      page[#page + 1] = found[i][1]
      page[#page + 1] = row
    end
  end
  if #page / 2 == limit or not has_more and #found <= missing then return page end
  local bound = string.format('(%.0f', found[math.min(missing, #found)][2])
  if newest_first then before = bound else after = bound end
end
