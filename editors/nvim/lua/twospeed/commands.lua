--- `:Twospeed VERB`, and what to type after it.

local documents = require("twospeed.documents")

local M = {}

---@alias twospeed.Given vim.api.keyset.create_user_command.command_args

local PLACES = vim.api.nvim_create_namespace("twospeed.commands")

---@param text string
local function complain(text)
  vim.notify("twospeed: " .. text, vim.log.levels.WARN)
end

---@param problem? lsp.ResponseError
---@param result? twospeed.EditResult
local function report(problem, result)
  if problem then
    complain(problem.message)
  elseif result and result.reason and result.outcome ~= "cancelled" then
    complain(result.reason.message)
  end
end

---@param buffer integer
---@param place integer An extmark.
---@param encoding twospeed.Encoding
---@return lsp.Range
local function range_at(buffer, place, encoding)
  local row, column, details =
    unpack(vim.api.nvim_buf_get_extmark_by_id(buffer, PLACES, place, { details = true }))
  local function position(line, byte)
    local text = vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] or ""
    return { line = line, character = vim.str_utfindex(text, encoding, byte, false) }
  end
  assert(details and details.end_row and details.end_col)
  return { start = position(row, column), ["end"] = position(details.end_row, details.end_col) }
end

--- Marks the lines of a range, or the cursor's place: another edit may move them before the words are there.
---@param given twospeed.Given
---@return integer place An extmark.
local function mark(given)
  local line, column = vim.fn.line(".") - 1, vim.fn.col(".") - 1
  local place = { end_row = line, end_col = column }
  if given.range > 0 then
    line, column = given.line1 - 1, 0
    place = { end_row = given.line2 - 1, end_col = #vim.fn.getline(given.line2) }
  end
  return vim.api.nvim_buf_set_extmark(0, PLACES, line, column, place)
end

---@param client vim.lsp.Client
---@param given twospeed.Given
---@param words string
local function edit(client, given, words)
  local buffer, place = vim.api.nvim_get_current_buf(), mark(given)
  local function lines()
    return {
      textDocument = { uri = vim.uri_from_bufnr(buffer), version = documents.version(buffer) },
      range = range_at(buffer, place, client.offset_encoding --[[@as twospeed.Encoding]]),
    }
  end
  local function ask(instruction)
    local asked = lines()
    vim.api.nvim_buf_del_extmark(buffer, PLACES, place)
    if instruction and instruction ~= "" then
      asked.instruction = instruction
      client:request("twospeed/edit", asked, report, buffer)
    end
  end
  if words ~= "" then
    ask(words)
  else
    client:request("twospeed/prepare", lines(), function() end, buffer) -- the edit says what is wrong
    vim.ui.input({ prompt = "Edit: " }, ask)
  end
end

---@param client vim.lsp.Client
local function toggle(client)
  client:request("twospeed/setMode", vim.empty_dict(), report)
end

---@param verb string
---@return fun(client: vim.lsp.Client)
local function server_command(verb)
  return function(client)
    client:exec_cmd({ title = verb, command = "twospeed." .. verb }, nil, report)
  end
end

---@type table<string, fun(client: vim.lsp.Client, given: twospeed.Given, words: string)>
local VERBS = {
  accept = server_command("accept"),
  cancel = server_command("cancel"),
  edit = edit,
  reject = server_command("reject"),
  toggle = toggle,
}

---@param given twospeed.Given
function M.run(given)
  local verb, words = given.args:match("^(%S+)%s*(.*)$")
  local client = vim.lsp.get_clients({ bufnr = 0, name = "twospeed" })[1]
  if not VERBS[verb] then
    complain("it is edit, toggle, cancel, accept or reject, not " .. verb)
  elseif not client then
    complain("no server is attached to this buffer; :checkhealth vim.lsp says more")
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
  return vim.tbl_filter(function(verb)
    return vim.startswith(verb, word)
  end, vim.fn.sort(vim.tbl_keys(VERBS)))
end

return M
