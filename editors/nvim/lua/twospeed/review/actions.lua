--- Review of an edit: navigation between hunks, and decisions on one hunk or all.

local marks = require("twospeed.review.marks")
local messages = require("twospeed.messages")
local requests = require("twospeed.requests")
local state = require("twospeed.state")

local M = {}

---@class twospeed.HunkRows
---@field edit twospeed.Edit
---@field id string
---@field first integer
---@field last integer

--- Lists the hunks of all edits in review in the current buffer, from top to bottom.
---@return twospeed.HunkRows[]
local function hunks()
  local found = {}
  for _, edit in ipairs(state.edits(vim.api.nvim_get_current_buf(), state.is_in_review)) do
    for _, place in ipairs(marks.hunk_rows(edit.key)) do
      table.insert(found, { edit = edit, id = place.hunk.id, first = place.first, last = place.last })
    end
  end
  table.sort(found, function(one, other)
    return one.first < other.first
  end)
  return found
end

---@return integer row
local function cursor_row()
  return vim.api.nvim_win_get_cursor(0)[1] - 1
end

---@return twospeed.HunkRows?
local function hunk_at_cursor()
  local row = cursor_row()
  return vim.iter(hunks()):find(function(hunk)
    return hunk.first <= row and row < hunk.last
  end)
end

--- Returns the edit in review at the cursor, also in its imports, else the newest one of the buffer.
---@return twospeed.Edit?
function M.edit_at_cursor()
  local hunk = hunk_at_cursor()
  if hunk then
    return hunk.edit
  end
  local edits = state.edits(vim.api.nvim_get_current_buf(), state.is_in_review)
  local row = cursor_row()
  return vim.iter(edits):rev():find(function(edit)
    return state.covers(edit, row)
  end) or edits[#edits]
end

--- Moves the cursor to the next or previous hunk; from the last one it continues at the first.
---@param step 1|-1
function M.go(step)
  local found, row = hunks(), cursor_row()
  if #found == 0 then
    messages.warn("no edit is in review in this buffer")
    return
  end
  local target
  if step == 1 then
    target = vim.iter(found):find(function(hunk)
      return hunk.first > row
    end) or found[1]
  else
    target = vim.iter(found):rev():find(function(hunk)
      return hunk.first < row
    end) or found[#found]
  end
  vim.cmd.normal({ "m'", bang = true }) -- so that CTRL-O returns
  vim.api.nvim_win_set_cursor(0, { target.first + 1, 0 })
end

--- Shows the removed lines of the edit at the cursor, or hides them.
function M.toggle_removed()
  local edit = M.edit_at_cursor()
  if edit then
    marks.toggle_removed(edit.key)
  else
    messages.warn("no edit is in review in this buffer")
  end
end

--- Decides one hunk, or all hunks of all places of an edit.
---@param client vim.lsp.Client
---@param edit twospeed.Edit
---@param action "accept"|"reject"
---@param hunk? string
local function decide(client, edit, action, hunk)
  local id = hunk and edit.id or edit.group
  local params = { editId = id, action = action, hunk = hunk }
  client:request("twospeed/decide", params, function(problem, result)
    requests.show_error(problem)
    local is_left = result and id == edit.id and vim.list_contains(state.edits(edit.buffer, state.is_in_review), edit)
    if is_left then
      marks.set_hunks(edit.key, edit.buffer, result)
      vim.cmd.redrawstatus({ bang = true })
    end
  end, edit.buffer)
end

--- Accepts or rejects the edit at the cursor, else the newest one of the buffer.
---@param client vim.lsp.Client
---@param action "accept"|"reject"
function M.decide(client, action)
  local edit = M.edit_at_cursor()
  if edit then
    decide(client, edit, action)
  else
    requests.command(client, action) -- the server decides the newest edit of all buffers
  end
end

--- Accepts or rejects the hunk at the cursor.
---@param client vim.lsp.Client
---@param action "accept"|"reject"
function M.decide_hunk(client, action)
  local hunk = hunk_at_cursor()
  if hunk then
    decide(client, hunk.edit, action, hunk.id)
  else
    messages.warn("the cursor is not on a hunk; :Twospeed next goes to the next one")
  end
end

return M
