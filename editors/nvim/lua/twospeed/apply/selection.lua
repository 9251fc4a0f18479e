--- Keeps the selection during a change: Neovim moves the cursor with the text, but not the start of the selection.

local M = {}

local SELECTION = vim.api.nvim_create_namespace("twospeed.selection")

--- Moves the cursor to the other end of the selection, in Visual or Select mode.
---@param mode string
local function swap(mode)
  vim.cmd.normal({ mode:match("[sS\19]") and "\7o\7" or "o", bang = true })
end

--- Runs `change`, and selects the same text afterwards.
---@param buffer integer
---@param change fun()
function M.keep(buffer, change)
  local mode = vim.api.nvim_get_mode().mode
  if not mode:match("^[vV\22sS\19]") or vim.api.nvim_get_current_buf() ~= buffer then
    change()
    return
  end
  local line, column = vim.fn.line("v"), vim.fn.col("v")
  local mark = vim.api.nvim_buf_set_extmark(buffer, SELECTION, line - 1, column - 1, { strict = false })
  change()
  local row, byte = unpack(vim.api.nvim_buf_get_extmark_by_id(buffer, SELECTION, mark, {}))
  vim.api.nvim_buf_del_extmark(buffer, SELECTION, mark)
  swap(mode)
  vim.api.nvim_win_set_cursor(0, { row + 1, byte })
  swap(mode)
end

return M
