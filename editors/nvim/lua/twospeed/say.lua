--- What a person is told, in one line each: a longer text would stop Neovim until a key is pressed.

local M = {}

local LEVELS = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.DEBUG }

---@param text string
function M.warn(text)
  vim.notify("twospeed: " .. text, vim.log.levels.WARN)
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
  local room = vim.v.echospace
  if vim.fn.strdisplaywidth(text) > room then
    text = vim.fn.printf("%.*S…", room - 1, text)
  end
  vim.api.nvim_echo({ { text } }, false, {})
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
