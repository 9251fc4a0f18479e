--- The functions that a configuration may call.

local M = {}

--- Returns the mode of the buffer's server with its model, the running edits and the number of hunks in review.
---@return string text For example "⚡ model ⚡…"; empty if twospeed is not attached.
function M.statusline()
  return require("twospeed.state").statusline(vim.api.nvim_get_current_buf())
end

return M
