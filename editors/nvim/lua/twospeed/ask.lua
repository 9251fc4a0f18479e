--- Asks the server for edits, and tells how they ended.

local say = require("twospeed.say")
local state = require("twospeed.state")

local M = {}

local WITH_ANSWER = " (:Twospeed show-answer or apply-anyway)"

---@type table<integer, string> The newest edit, by client, that was asked for here and has its outcome.
local newest = {}

---@param problem? lsp.ResponseError
function M.report(problem)
  if problem and problem.code ~= vim.lsp.protocol.ErrorCodes.RequestCancelled then
    say.warn(problem.message)
  end
end

---@param problem? lsp.ResponseError
---@param result? twospeed.EditResult
---@param context lsp.HandlerContext
local function tell_ending(problem, result, context)
  M.report(problem)
  if not result then
    return
  end
  newest[context.client_id] = result.editId
  if type(result.reason) == "table" and result.outcome ~= "cancelled" then
    say.warn(result.reason.message, type(result.answer) == "table" and WITH_ANSWER or nil)
  else
    say.briefly(say.summary(state.ICONS[result.mode] or "", result) .. say.of_model(result.message))
  end
end

--- Asks for an edit.
---@param client vim.lsp.Client
---@param place twospeed.Place Of which nothing is left.
---@param instruction string
---@param fields? { scope?: string, range?: lsp.Range, variations?: integer, follows?: string }
function M.edit(client, place, instruction, fields)
  local asked = vim.tbl_extend("force", place:asked(client), fields or {}, { instruction = instruction })
  place:forget()
  client:request("twospeed/edit", asked, tell_ending, place.buffer)
end

--- Gives the edit that a follow-up refines.
---@param client vim.lsp.Client
---@return string?
function M.newest(client)
  return newest[client.id]
end

--- Has the server get ready: an edit of this place is likely.
---@param client vim.lsp.Client
---@param place twospeed.Place
function M.prepare(client, place)
  client:request("twospeed/prepare", place:asked(client), function() end, place.buffer) -- the edit says what is wrong
end

--- Says more to an edit that runs.
---@param client vim.lsp.Client
---@param edit twospeed.Edit
---@param instruction string
function M.steer(client, edit, instruction)
  client:request("twospeed/steer", { editId = edit.id, instruction = instruction }, M.report, edit.buffer)
end

--- Puts another answer in an edit's place.
---@param client vim.lsp.Client
---@param edit twospeed.Edit
---@param step 1|-1
function M.variation(client, edit, step)
  local params = { editId = edit.id, step = step }
  client:request("twospeed/variation", params, tell_ending, edit.buffer)
end

--- Runs a command of the server.
---@param client vim.lsp.Client
---@param name string
---@param arguments? table[]
function M.command(client, name, arguments)
  client:exec_cmd({ title = name, command = "twospeed." .. name, arguments = arguments }, nil, M.report)
end

return M
