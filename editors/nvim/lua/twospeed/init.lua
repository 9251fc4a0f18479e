--- What a configuration may call.

local M = {}

--- Gives the mode of the current buffer's server, and an icon with dots for each edit that runs in it.
---@return string text Such as "⚡" or "🧠 ⚡…"; empty where twospeed is not attached.
function M.statusline()
  return require("twospeed.state").statusline(vim.api.nvim_get_current_buf())
end

return M
