--- `<C-c>` in Normal mode cancels the running edit of a buffer, unless the key is mapped already.

local M = {}

---@type table<integer, true> Buffers with the mapping.
local mapped = {}

---@param buffer integer
---@return boolean
local function has_other_mapping(buffer)
  return vim.api.nvim_buf_call(buffer, function()
    return vim.fn.maparg("<C-c>", "n") ~= ""
  end)
end

--- Maps the key while an edit runs in the buffer.
---@param buffer integer
---@param is_running boolean
function M.follow(buffer, is_running)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    mapped[buffer] = nil
  elseif is_running and not mapped[buffer] and not has_other_mapping(buffer) then
    mapped[buffer] = true
    vim.keymap.set(
      "n",
      "<C-c>",
      "<Cmd>Twospeed cancel<CR>",
      { buffer = buffer, desc = "Cancel twospeed's edit" }
    )
  elseif not is_running and mapped[buffer] then
    mapped[buffer] = nil
    vim.keymap.del("n", "<C-c>", { buffer = buffer })
  end
end

return M
