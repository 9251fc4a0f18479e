--- Maps a row of an earlier version of a buffer to the current one.
---
--- Ranges in a message of the server are at a version. The user may have typed since.

local M = {}

local MAX_CHANGES = 200

---@class twospeed.RowChange
---@field version integer The version after the change.
---@field first integer
---@field last integer Exclusive, before the change.
---@field new_last integer Exclusive, after the change.

---@type table<integer, twospeed.RowChange[]>
local changes = {}

--- Records the changes of a buffer from now on.
---@param buffer integer
function M.watch(buffer)
  if changes[buffer] then
    return
  end
  changes[buffer] = {}
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function(_, _, version, first, last, new_last)
      local recorded = changes[buffer]
      table.insert(recorded, { version = version, first = first, last = last, new_last = new_last })
      if #recorded > MAX_CHANGES then
        table.remove(recorded, 1)
      end
    end,
    on_reload = function()
      changes[buffer] = {}
    end,
    on_detach = function()
      changes[buffer] = nil
    end,
  })
end

---@param buffer integer
---@param row integer
---@param version integer The version of the row.
---@return integer row
function M.current_row(buffer, row, version)
  for _, change in ipairs(changes[buffer] or {}) do
    if change.version > version then
      if row >= change.last then
        row = row + change.new_last - change.last
      elseif row > change.first then
        row = math.min(row, change.new_last)
      end
    end
  end
  return math.max(0, math.min(row, vim.api.nvim_buf_line_count(buffer)))
end

return M
