--- Undo steps: an edit is one step if nothing else changed the buffer meanwhile. Typing is never in the same step.
---
--- Insert mode keeps one step open. If the number of lines above the cursor changes within that step, undo in Neovim 0.11
--- restores a wrong text.

local documents = require("twospeed.documents")

local M = {}

---@type table<integer, { edit_id: string, version: integer }> By buffer, the step that the next change can join.
local open = {}

--- Ends the undo step of the current buffer: any assignment to the option does (`:help undo-break`).
local function stop()
  vim.bo.undolevels = vim.bo.undolevels
end

--- Runs `change` as an undo step, or as a part of the edit's last one.
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
