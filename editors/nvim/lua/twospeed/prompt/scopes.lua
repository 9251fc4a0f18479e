--- The scopes around a position, and the one that the user has chosen for an edit.

local row_changes = require("twospeed.row_changes")

---@class twospeed.Scopes
---@field buffer integer
---@field version integer The version of their ranges.
---@field all twospeed.NamedScope[] Innermost first.
---@field index integer The chosen scope; 0 for the selection.
---@field is_selection boolean
---@field is_chosen boolean Whether the user has changed the choice.
local Scopes = {}
Scopes.__index = Scopes

local M = {}

---@param buffer integer
---@param is_selection boolean
---@return twospeed.Scopes
function M.new(buffer, is_selection)
  row_changes.watch(buffer)
  local empty = { buffer = buffer, version = 0, all = {}, index = 0 }
  return setmetatable(
    vim.tbl_extend("error", empty, { is_selection = is_selection, is_chosen = false }),
    Scopes
  )
end

--- Stores the result of `twospeed/scopes`, and chooses the scope that the server would choose.
---@param result { version: integer, scopes: twospeed.NamedScope[] }
function Scopes:update(result)
  local all = result.scopes
  self.all, self.version = all, result.version
  if self.is_selection then
    return
  end
  for _, kind in ipairs({ "function", "class" }) do
    for index, scope in ipairs(all) do
      if scope.kind == kind then
        self.index = index
        return
      end
    end
  end
  self.index = math.min(1, #all)
end

--- Chooses the next larger scope (1) or the next smaller one (-1).
---@param step 1|-1
function Scopes:change(step)
  local least = (self.is_selection or #self.all == 0) and 0 or 1
  self.index = math.max(least, math.min(self.index + step, #self.all))
  self.is_chosen = true
end

--- Returns the current range of the chosen scope.
---@return lsp.Range?
function Scopes:range()
  local scope = self.all[self.index]
  local function now(position)
    local line = row_changes.current_row(self.buffer, position.line, self.version)
    return { line = line, character = position.character }
  end
  return scope and { start = now(scope.range.start), ["end"] = now(scope.range["end"]) }
end

---@return string
function Scopes:label()
  local scope = self.all[self.index]
  if not scope then
    return self.is_selection and "selection" or "here"
  end
  return type(scope.name) == "string" and ("%s %s"):format(scope.kind, scope.name) or scope.kind
end

--- Returns the fields of `twospeed/edit`; none if the user has left the choice to the server.
---@return { scope?: string, range?: lsp.Range }
function Scopes:fields()
  local range = self.is_chosen and self:range()
  return range and { scope = "selection", range = range } or {}
end

return M
