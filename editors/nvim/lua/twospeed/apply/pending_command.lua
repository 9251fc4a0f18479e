--- Waits while Neovim 0.11 holds a line number that it does not update when lines above it change.
---
--- * A pending operator begins at that line after its motion.
--- * Completion in Insert mode deletes the text from that line to the cursor at the next choice.
--- * An insertion into a block is repeated in the other lines, by number, when Insert mode ends.
--- * `:s` with the flag `c` continues at that line, and writes the text that it has read before.

local M = {}

local LIMIT_MS = 8000 -- below the server's limit of ten seconds for an answer

--- Whether typed text goes into several lines: an operator of Visual mode has started Insert mode in a block.
---@param mode string
---@return boolean
local function is_inserting_block(mode)
  return vim.startswith(mode, "i")
    and vim.fn.state("o") ~= ""
    and vim.fn.visualmode() == "\22"
    and vim.fn.line(".") == vim.fn.line("'<")
    and vim.fn.line("'<") < vim.fn.line("'>")
end

---@param buffer integer
---@return boolean
local function is_unsafe(buffer)
  local completing = vim.fn.complete_info({ "mode" }).mode
  local is_completing = completing ~= "" and completing ~= "ctrl_x"
  local mode = vim.api.nvim_get_mode().mode
  local is_pending = vim.startswith(mode, "no") or mode == "r?" or is_inserting_block(mode)
  return (is_completing or is_pending) and vim.api.nvim_get_current_buf() == buffer
end

--- Waits until a change of the buffer is safe. Runs in the coroutine in which Neovim calls a handler.
---@async
---@param buffer? integer
---@return boolean is_safe `false` after 8 seconds.
function M.wait(buffer)
  local handler, is_late = assert(coroutine.running()), false
  while buffer and not is_late and is_unsafe(buffer) do
    local has_resumed = false
    local resume = vim.schedule_wrap(function(late)
      if not has_resumed then
        has_resumed = true
        coroutine.resume(handler, late)
      end
    end)
    local timer = vim.defer_fn(function()
      resume(true)
    end, LIMIT_MS)
    local ending = vim.api.nvim_create_autocmd({ "CompleteDone", "ModeChanged" }, {
      callback = function()
        resume(false)
      end,
    })
    is_late = coroutine.yield()
    vim.api.nvim_del_autocmd(ending)
    timer:stop()
  end
  return not is_late
end

return M
