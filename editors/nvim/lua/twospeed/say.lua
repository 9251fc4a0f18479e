--- What a person is told, in one line each: a longer text would stop Neovim until a key is pressed.

local M = {}

local LEVELS = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.DEBUG }

---@param text string
---@param room integer In screen cells.
---@return string text As much of it as there is room for.
local function cut(text, room)
  if vim.fn.strdisplaywidth(text) <= room then
    return text
  end
  return vim.fn.printf("%.*S…", math.max(room - 1, 0), text)
end

--- Tells something, and in the same line what may be done about it. Where the line is too short for both, the text is
--- cut in it, and whole in `:messages`.
---@param text string
---@param hint? string
function M.warn(text, hint)
  text, hint = "twospeed: " .. text, hint or ""
  local room = vim.v.echospace - vim.fn.strdisplaywidth(hint)
  if hint == "" or vim.fn.strdisplaywidth(text) <= room then
    vim.notify(text .. hint, vim.log.levels.WARN)
  else
    vim.notify(text, vim.log.levels.WARN)
    vim.cmd.redraw() -- so that the next line takes the place of this one
    vim.api.nvim_echo({ { cut(text, room) .. hint, "WarningMsg" } }, false, {})
  end
end

--- Shows what the server says. Neovim's own handler ends it with a line end, which stops Neovim.
---@param params { type: integer, message: string }
function M.message(params)
  local line = params.message:gsub("%s*\n%s*", " ")
  local has_name = vim.startswith(line, "twospeed")
  vim.notify(has_name and line or "twospeed: " .. line, LEVELS[params.type])
end

--- Shows something that is gone with the next message, as much of it as one line holds.
---@param text string
function M.briefly(text)
  vim.api.nvim_echo({ { cut(text, vim.v.echospace) } }, false, {})
end

--- Gives what the model wrote beside its code as the end of a line; nothing where it wrote nothing.
---@param message? string|vim.NIL
---@return string
function M.of_model(message)
  return type(message) == "string" and " · it says: " .. message:gsub("%s*\n%s*", " ") or ""
end

--- Names an edit's outcome, its speed and its model.
---@param icon string
---@param result twospeed.EditResult
---@return string
function M.summary(icon, result)
  local stats = result.stats or {}
  local parts = { ("%s %s"):format(icon, result.outcome) }
  if stats.linesAdded and stats.linesRemoved then
    table.insert(parts, ("+%d -%d"):format(stats.linesAdded, stats.linesRemoved))
  end
  if stats.durationMs then
    table.insert(parts, ("%.1f s"):format(stats.durationMs / 1000))
  end
  if type(result.model) == "string" then
    table.insert(parts, result.model)
  end
  if result.findings and #result.findings > 0 then
    table.insert(parts, ("%d to look at"):format(#result.findings))
  end
  if result.conflicts and #result.conflicts > 0 then
    table.insert(parts, ("%d of your own places left alone"):format(#result.conflicts))
  end
  return table.concat(parts, " · ")
end

return M
