--- Moments to wait out: Neovim 0.11 has noted the number of a line, and does not move it with the line.
---
--- * An operator waits for its motion: it would begin at the line of that number.
--- * Insert mode completes: the next choice deletes all from that line to the cursor.
--- * A block is inserted into: at its end what was typed goes into the other lines of those numbers.
--- * `:s` with its flag `c` asks: it goes on at that line, and writes it as it has read it.

local M = {}

local LIMIT_MS = 8000 -- the server waits ten seconds for an answer

--- Tells whether what is typed goes into several lines: an operator of Visual mode has begun Insert mode in a block.
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
local function is_now(buffer)
  local completing = vim.fn.complete_info({ "mode" }).mode
  local is_completing = completing ~= "" and completing ~= "ctrl_x"
  local mode = vim.api.nvim_get_mode().mode
  local is_half_done = vim.startswith(mode, "no") or mode == "r?" or is_inserting_block(mode)
  return (is_completing or is_half_done) and vim.api.nvim_get_current_buf() == buffer
end

--- Waits until a change of the buffer does no harm, in the coroutine in which Neovim calls a handler.
---@async
---@param buffer? integer
---@return boolean is_over `false` if it took too long.
function M.wait(buffer)
  local handler, is_late = assert(coroutine.running()), false
  while buffer and not is_late and is_now(buffer) do
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
