--- Opens the prompt for a new edit, or for steering a running edit.

local ask = require("twospeed.ask")
local place = require("twospeed.place")
local prompt = require("twospeed.prompt")
local scopes = require("twospeed.scopes")
local state = require("twospeed.state")

local M = {}

---@param client vim.lsp.Client
---@param edit twospeed.Edit
function M.steer(client, edit)
  prompt.open({
    buffer = edit.buffer,
    icon = function()
      return state.ICONS[edit.mode]
    end,
    title = function()
      return "Steer the running edit"
    end,
    scope = function() end,
    leave = function() end,
    run = function(words)
      ask.steer(client, edit, words)
    end,
  })
end

--- Prompts for an instruction while the server prepares, then requests the edit.
---@param client vim.lsp.Client
---@param given twospeed.Given
---@param fields? { variations?: integer, follows?: string }
function M.edit(client, given, fields)
  local buffer = vim.api.nvim_get_current_buf()
  local at, choice = place.mark(given), scopes.new(buffer, given.range > 0)
  local params = at:params(client)
  local has_run = false
  local box = prompt.open({
    buffer = buffer,
    icon = function()
      return state.ICONS[state.mode(client.id)]
    end,
    title = function()
      return (fields and fields.follows and "Follow up · " or "Edit · ") .. choice:label()
    end,
    scope = function()
      return choice:range()
    end,
    change_scope = function(step)
      choice:change(step)
    end,
    leave = function()
      vim.schedule(function()
        if not has_run then
          at:delete()
        end
      end)
    end,
    run = function(words)
      has_run = true
      ask.edit(client, at, words, vim.tbl_extend("force", choice:fields(), fields or {}))
    end,
  })
  ask.prepare(client, at)
  local position = { textDocument = params.textDocument, position = params.range.start }
  client:request("twospeed/scopes", position, function(_, result)
    if result then
      choice:update(result)
      box.redraw()
    end
  end, buffer)
end

return M
