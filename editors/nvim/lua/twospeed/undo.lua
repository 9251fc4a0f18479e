--- Undo steps: an edit is one, if nothing else changed the buffer meanwhile; none holds typing and an edit.
---
--- The second half is more than good manners. Insert mode keeps one step open; if lines come or go above the
--- cursor inside of it, Neovim 0.11 restores another text when the step is undone.

local documents = require("twospeed.documents")

local M = {}

---@type table<integer, { edit_id: string, version: integer }> Of each buffer, the step that more may join.
local open = {}

--- Ends the current buffer's undo step: setting the option does, even to what it is (`:help undo-break`).
local function stop()
  vim.bo.undolevels = vim.bo.undolevels
end

--- Makes a change with its place among the undo steps.
---@param buffer integer
---@param params twospeed.ApplyEditParams
---@param change fun()
function M.step(buffer, params, change)
  local before = open[buffer]
  local joins = before ~= nil
    and not params.undoStopBefore
    and before.edit_id == params.editId
    and before.version == documents.version(buffer)
  vim.api.nvim_buf_call(buffer, function()
    stop()
    if joins then
      vim.cmd.undojoin()
    end
    change()
    stop()
  end)
  open[buffer] = nil
  if not params.undoStopAfter then
    open[buffer] = { edit_id = params.editId, version = documents.version(buffer) }
  end
end

return M
