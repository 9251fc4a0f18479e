--- Maps a row of an earlier version of a buffer to the current one.
---
--- Ranges in a message of the server are at a version. The user may have typed since.

local M = {}

local KEPT = 200

---@class twospeed.Move
---@field version integer The version after the change.
---@field first integer
---@field last integer Exclusive, before the change.
---@field new_last integer Exclusive, after the change.

---@type table<integer, twospeed.Move[]>
local moves = {}

--- Records the changes of a buffer from now on.
---@param buffer integer
function M.watch(buffer)
  if moves[buffer] then
    return
  end
  moves[buffer] = {}
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function(_, _, version, first, last, new_last)
      local seen = moves[buffer]
      table.insert(seen, { version = version, first = first, last = last, new_last = new_last })
      if #seen > KEPT then
        table.remove(seen, 1)
      end
    end,
    on_reload = function()
      moves[buffer] = {}
    end,
    on_detach = function()
      moves[buffer] = nil
    end,
  })
end

---@param buffer integer
---@param row integer
---@param version integer The version of the row.
---@return integer row
function M.row_now(buffer, row, version)
  for _, move in ipairs(moves[buffer] or {}) do
    if move.version > version then
      if row >= move.last then
        row = row + move.new_last - move.last
      elseif row > move.first then
        row = math.min(row, move.new_last)
      end
    end
  end
  return math.max(0, math.min(row, vim.api.nvim_buf_line_count(buffer)))
end

return M
