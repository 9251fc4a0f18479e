--- The command `:Twospeed VERB`, and its completion.

local answer = require("twospeed.answer")
local ask = require("twospeed.ask")
local instruct = require("twospeed.instruct")
local place = require("twospeed.place")
local review = require("twospeed.review")
local say = require("twospeed.say")
local server = require("twospeed.server")
local state = require("twospeed.state")

local M = {}

---@alias twospeed.Given vim.api.keyset.create_user_command.command_args

--- Returns the current buffer; in the prompt, the buffer for which it was opened.
---@return integer
local function current()
  return vim.b.twospeed_buffer or vim.api.nvim_get_current_buf()
end

--- Returns the newest running edit of the current buffer.
---@param is_wanted? fun(edit: twospeed.Edit): boolean
---@return twospeed.Edit?
local function running(is_wanted)
  local edits = state.edits(current(), function(edit)
    return state.is_live(edit) and (not is_wanted or is_wanted(edit))
  end)
  return edits[#edits]
end

---@param client vim.lsp.Client
---@param given twospeed.Given
---@param words string
---@param fields? { variations?: integer, follows?: string }
local function begin(client, given, words, fields)
  if words == "" then
    instruct.edit(client, given, fields)
  else
    ask.edit(client, place.mark(given), words, fields)
  end
end

---@param client vim.lsp.Client
---@param given twospeed.Given
---@param words string
local function edit(client, given, words)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local here = given.range == 0 and running(function(each)
    return state.covers(each, row)
  end)
  if here and words == "" then
    instruct.steer(client, here)
  else
    begin(client, given, words)
  end
end

---@param client vim.lsp.Client
---@param words string
local function steer(client, _, words)
  local running_edit = running()
  if not running_edit then
    say.warn("no edit is running in this buffer")
  elseif words == "" then
    instruct.steer(client, running_edit)
  else
    ask.steer(client, running_edit, words)
  end
end

---@param client vim.lsp.Client
---@param given twospeed.Given
---@param words string
local function follow(client, given, words)
  local shown = review.edit_here()
  local before = shown and shown.id or ask.newest(client)
  if before then
    begin(client, given, words, { follows = before })
  else
    say.warn("there is no edit to follow up yet")
  end
end

---@param client vim.lsp.Client
---@param given twospeed.Given
---@param words string
local function answers(client, given, words)
  local count, rest = words:match("^(%d+)%s*(.*)$")
  count = tonumber(count)
  if count then
    begin(client, given, rest, { variations = count })
  else
    say.warn("the number of answers is missing; for example: :Twospeed answers 3 add a docstring")
  end
end

---@param step 1|-1
---@return fun(client: vim.lsp.Client)
local function variation(step)
  return function(client)
    local shown = review.edit_here()
    if shown then
      ask.variation(client, shown, step)
    else
      say.warn("no edit is in review in this buffer")
    end
  end
end

---@param client vim.lsp.Client
---@param given twospeed.Given
local function repeat_it(client, given)
  local at = place.mark(given)
  local params = at:params(client)
  at:delete()
  ask.command(client, "repeat", { { uri = params.textDocument.uri, range = params.range } })
end

---@param client vim.lsp.Client
local function toggle(client)
  client:request("twospeed/setMode", vim.empty_dict(), ask.report)
end

---@param client vim.lsp.Client
local function cancel(client)
  local running_edit = running()
  ask.command(client, "cancel", running_edit and { running_edit.id } or nil)
end

---@param client vim.lsp.Client
local function retry(client)
  local shown = review.edit_here()
  ask.command(client, "retry", { shown and { editId = shown.id } or vim.empty_dict() })
end

---@param client vim.lsp.Client
local function check(client)
  local shown = review.edit_here()
  ask.command(client, "review", shown and { shown.id } or nil)
end

---@type table<string, fun(client: vim.lsp.Client, given: twospeed.Given, words: string)>
local VERBS = {
  accept = function(client)
    review.decide(client, "accept")
  end,
  ["accept-hunk"] = function(client)
    review.decide_hunk(client, "accept")
  end,
  answers = answers,
  ["apply-anyway"] = function(client)
    answer.apply(client, state.refused(client.id, current()))
  end,
  cancel = cancel,
  edit = edit,
  follow = follow,
  next = function()
    review.go(1)
  end,
  ["next-answer"] = variation(1),
  previous = function()
    review.go(-1)
  end,
  ["previous-answer"] = variation(-1),
  reject = function(client)
    review.decide(client, "reject")
  end,
  ["reject-hunk"] = function(client)
    review.decide_hunk(client, "reject")
  end,
  removed = review.toggle_removed,
  ["repeat"] = repeat_it,
  retry = retry,
  review = check,
  ["show-answer"] = function(client)
    local buffer = current()
    answer.show(client, state.refused(client.id, buffer), buffer)
  end,
  status = function(client)
    ask.command(client, "status")
  end,
  steer = steer,
  toggle = toggle,
}

--- Verbs that need no server.
---@type table<string, fun()>
local WITHOUT_SERVER = {
  doctor = function()
    vim.cmd.checkhealth("twospeed")
  end,
  log = function()
    vim.cmd.tabedit({ vim.lsp.log.get_filename(), magic = { file = false } })
  end,
  restart = server.restart,
}

---@param given twospeed.Given
function M.run(given)
  local verb, words = given.args:match("^(%S+)%s*(.*)$")
  local client = vim.lsp.get_clients({ bufnr = current(), name = "twospeed" })[1]
  if WITHOUT_SERVER[verb] then
    WITHOUT_SERVER[verb]()
  elseif not VERBS[verb] then
    say.warn(
      ("unknown verb %s; the verbs are: %s"):format(verb, table.concat(M.complete("", "Twospeed "), ", "))
    )
  elseif not client then
    say.warn("no server is attached to this buffer; run :checkhealth twospeed")
  else
    VERBS[verb](client, given, words)
  end
end

---@param word string
---@param line string
---@return string[]
function M.complete(word, line)
  if not line:match("Twospeed%s+%S*$") then
    return {}
  end
  local verbs = vim.list_extend(vim.tbl_keys(VERBS), vim.tbl_keys(WITHOUT_SERVER))
  return vim.tbl_filter(function(verb)
    return vim.startswith(verb, word)
  end, vim.fn.sort(verbs))
end

return M
