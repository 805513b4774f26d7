-- Packed binary values. Numbers are big-endian doubles of 8 bytes: Lua has no other number, and a double holds every
-- counter and time there is. Positions count from 1, as string.sub does. [x] is x after one byte with its length.
-- rows.ts and sharing.ts pack and unpack the same values.
--
--   batch header   ns (16 bytes), sender (8 bytes), generation, now, grace (-1: rows get no time to live), channel
--   op             put:         'p', id (16 bytes), expected revision or -1, row
--                  delete:      'd', id (16 bytes), expected revision or -1
--                  deleteWhere: 'w', limit or -1, [group], [kind]...
--   row            [kind], [group], rev, created, updated, expires (NaN for never), body
--   stored row     seq, row                                     the value of r<id>
--   row info       seq, rev, expires (-1 for never), bytes of the body, [kind], group      a value of the hash i
--   notice         sender (8 bytes), ns (16 bytes), seq before the batch, seq after it, rows removed
local HEADER_NS, HEADER_NS_END = 1, 16
local HEADER_SENDER, HEADER_SENDER_END = 17, 24
local HEADER_NUMBERS = 25
local HEADER_CHANNEL = 49
local OP_ID, OP_ID_END = 2, 17
local OP_EXPECTED_REV = 18
local OP_ROW = 26
local WHERE_LIMIT = 2
local WHERE_GROUP = 10
local ROW_NUMBERS_BYTES = 32
local STORED_ROW = 9
local INFO_KIND = 33
