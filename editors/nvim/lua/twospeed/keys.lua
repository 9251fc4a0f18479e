--- `<C-c>` stops the edit that runs in a buffer, in Normal mode, where it does nothing else.

local M = {}

---@type table<integer, true> Buffers that have the key.
local mapped = {}

---@param buffer integer
---@return boolean
local function is_taken(buffer)
  return vim.api.nvim_buf_call(buffer, function()
    return vim.fn.maparg("<C-c>", "n") ~= ""
  end)
end

--- Gives a buffer the key as long as an edit runs in it.
---@param buffer integer
---@param is_running boolean
function M.follow(buffer, is_running)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    mapped[buffer] = nil
  elseif is_running and not mapped[buffer] and not is_taken(buffer) then
    mapped[buffer] = true
    vim.keymap.set(
      "n",
      "<C-c>",
      "<Cmd>Twospeed cancel<CR>",
      { buffer = buffer, desc = "Stop twospeed's edit" }
    )
  elseif not is_running and mapped[buffer] then
    mapped[buffer] = nil
    vim.keymap.del("n", "<C-c>", { buffer = buffer })
  end
end

return M
