--- Marks of what edits have changed: lines while they stream in, hunks in review, and removed lines on demand.

local moves = require("twospeed.moves")

local M = {}

local STREAMED = vim.api.nvim_create_namespace("twospeed.streamed")
local HUNKS = vim.api.nvim_create_namespace("twospeed.hunks")
local REMOVED = vim.api.nvim_create_namespace("twospeed.removed")

vim.api.nvim_set_hl(0, "TwospeedChanged", { link = "DiffAdd", default = true })
vim.api.nvim_set_hl(0, "TwospeedRemoved", { link = "DiffDelete", default = true })

---@class twospeed.PlacedHunk
---@field id string
---@field mark integer
---@field removed string

---@type table<string, { buffer: integer, streamed: integer[], hunks: twospeed.PlacedHunk[] }> By edit.
local painted = {}

---@param edit_id string
---@param buffer integer
local function paint_of(edit_id, buffer)
  painted[edit_id] = painted[edit_id] or { buffer = buffer, streamed = {}, hunks = {} }
  return painted[edit_id]
end

---@param buffer integer
---@param space integer
---@param first integer
---@param last integer Up to but without it.
---@return integer mark
local function mark(buffer, space, first, last)
  local n_lines = vim.api.nvim_buf_line_count(buffer)
  local is_empty = last <= first
  return vim.api.nvim_buf_set_extmark(buffer, space, math.min(first, n_lines), 0, {
    end_row = math.min(math.max(first, last), n_lines),
    hl_group = not is_empty and "TwospeedChanged" or nil,
    hl_eol = true,
    strict = false,
    sign_text = is_empty and "▁" or "▎",
    sign_hl_group = is_empty and "TwospeedRemoved" or "TwospeedChanged",
  })
end

--- Marks lines that have just come in.
---@param buffer integer
---@param edit_id string
---@param replacements twospeed.Replacement[] As they were made: from the top down, each against the old text.
function M.streamed(buffer, edit_id, replacements)
  local marks, shift = paint_of(edit_id, buffer).streamed, 0
  for _, each in ipairs(replacements) do
    local first = each.first + shift
    if #each.lines > 0 then
      table.insert(marks, mark(buffer, STREAMED, first, first + #each.lines))
    end
    shift = shift + #each.lines - (each.last - each.first) - (each.columns and 1 or 0)
  end
end

---@param edit_id string
---@return boolean has_any
local function clear_removed(edit_id)
  local paint, has_any = painted[edit_id], false
  for _, hunk in ipairs(paint and paint.hunks or {}) do
    has_any = vim.api.nvim_buf_del_extmark(paint.buffer, REMOVED, hunk.mark) or has_any
  end
  return has_any
end

--- Takes away what is painted of an edit.
---@param edit_id string
function M.clear(edit_id)
  local paint = painted[edit_id]
  if paint and vim.api.nvim_buf_is_loaded(paint.buffer) then
    clear_removed(edit_id)
    for _, streamed in ipairs(paint.streamed) do
      vim.api.nvim_buf_del_extmark(paint.buffer, STREAMED, streamed)
    end
    for _, hunk in ipairs(paint.hunks) do
      vim.api.nvim_buf_del_extmark(paint.buffer, HUNKS, hunk.mark)
    end
  end
  painted[edit_id] = nil
end

--- Paints the hunks that are left of an edit in review.
---@param edit_id string
---@param buffer integer
---@param hunks twospeed.Hunk[]
---@param version integer That their ranges are of.
function M.hunks(edit_id, buffer, hunks, version)
  local had_removed = clear_removed(edit_id)
  M.clear(edit_id)
  local placed = paint_of(edit_id, buffer).hunks
  for _, hunk in ipairs(hunks) do
    local first = moves.row_now(buffer, hunk.range.start.line, version)
    local last = moves.row_now(buffer, hunk.range["end"].line, version)
    local id = mark(buffer, HUNKS, first, last)
    table.insert(placed, { id = hunk.id, mark = id, removed = hunk.removed })
  end
  if had_removed then
    M.toggle_removed(edit_id)
  end
end

--- Gives where the hunks of an edit are now, from the top down.
---@param edit_id string
---@return { id: string, first: integer, last: integer, removed: string }[]
function M.places(edit_id)
  local paint, places = painted[edit_id], {}
  for _, hunk in ipairs(paint and paint.hunks or {}) do
    local row, _, details =
      unpack(vim.api.nvim_buf_get_extmark_by_id(paint.buffer, HUNKS, hunk.mark, { details = true }))
    if row and details then
      table.insert(places, { id = hunk.id, first = row, last = details.end_row, removed = hunk.removed })
    end
  end
  table.sort(places, function(one, other)
    return one.first < other.first
  end)
  return places
end

--- Shows the lines that an edit took away, above what came in their place, or hides them again.
---@param edit_id string
function M.toggle_removed(edit_id)
  local paint = painted[edit_id]
  if not paint or clear_removed(edit_id) then
    return
  end
  local n_lines = vim.api.nvim_buf_line_count(paint.buffer)
  for index, place in ipairs(M.places(edit_id)) do
    if place.removed ~= "" then
      local lines = vim.split(place.removed:gsub("\r?\n$", ""), "\r?\n")
      local is_behind = place.first >= n_lines
      vim.api.nvim_buf_set_extmark(paint.buffer, REMOVED, is_behind and n_lines - 1 or place.first, 0, {
        id = paint.hunks[index].mark,
        virt_lines = vim.tbl_map(function(line)
          return { { line, "TwospeedRemoved" } }
        end, lines),
        virt_lines_above = not is_behind,
      })
    end
  end
end

return M
