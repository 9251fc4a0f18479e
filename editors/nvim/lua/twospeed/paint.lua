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
---@field is_behind boolean Whether it is of lines behind the last one, all of which are gone.

---@type table<string, { buffer: integer, streamed: integer[], hunks: twospeed.PlacedHunk[] }> By edit.
local painted = {}

---@param key string Of an edit, see `twospeed.state`.
---@param buffer integer
local function paint_of(key, buffer)
  painted[key] = painted[key] or { buffer = buffer, streamed = {}, hunks = {} }
  return painted[key]
end

--- Marks lines, or the place of lines that are gone.
---@param buffer integer
---@param space integer
---@param first integer
---@param last integer Up to but without it.
---@return integer mark
local function mark(buffer, space, first, last)
  local n_last = vim.api.nvim_buf_line_count(buffer) - 1
  local is_empty = last <= first
  local start = math.min(first, n_last)
  return vim.api.nvim_buf_set_extmark(buffer, space, start, 0, {
    end_row = is_empty and start or math.min(last - 1, n_last),
    end_col = 0,
    line_hl_group = not is_empty and "TwospeedChanged" or nil,
    sign_text = is_empty and "▁" or "▎",
    sign_hl_group = is_empty and "TwospeedRemoved" or "TwospeedChanged",
  })
end

--- Marks lines that have just come in.
---@param buffer integer
---@param key string Of an edit, see `twospeed.state`.
---@param replacements twospeed.Replacement[] As they were made: from the top down, each against the old text.
function M.streamed(buffer, key, replacements)
  local marks, shift = paint_of(key, buffer).streamed, 0
  for _, each in ipairs(replacements) do
    local first = each.first + shift
    if #each.lines > 0 then
      table.insert(marks, mark(buffer, STREAMED, first, first + #each.lines))
    end
    shift = shift + #each.lines - (each.last - each.first) - (each.columns and 1 or 0)
  end
end

---@param key string Of an edit, see `twospeed.state`.
---@return boolean has_any
local function clear_removed(key)
  local paint, has_any = painted[key], false
  for _, hunk in ipairs(paint and paint.hunks or {}) do
    has_any = vim.api.nvim_buf_del_extmark(paint.buffer, REMOVED, hunk.mark) or has_any
  end
  return has_any
end

--- Takes away what is painted of an edit.
---@param key string Of an edit, see `twospeed.state`.
function M.clear(key)
  local paint = painted[key]
  if paint and vim.api.nvim_buf_is_loaded(paint.buffer) then
    clear_removed(key)
    for _, streamed in ipairs(paint.streamed) do
      vim.api.nvim_buf_del_extmark(paint.buffer, STREAMED, streamed)
    end
    for _, hunk in ipairs(paint.hunks) do
      vim.api.nvim_buf_del_extmark(paint.buffer, HUNKS, hunk.mark)
    end
  end
  painted[key] = nil
end

--- Paints the hunks that are left of an edit in review.
---@param key string Of an edit, see `twospeed.state`.
---@param buffer integer
---@param hunks twospeed.Hunk[]
---@param version integer That their ranges are of.
function M.hunks(key, buffer, hunks, version)
  local had_removed = clear_removed(key)
  M.clear(key)
  local placed = paint_of(key, buffer).hunks
  for _, hunk in ipairs(hunks) do
    local first = moves.row_now(buffer, hunk.range.start.line, version)
    local last = moves.row_now(buffer, hunk.range["end"].line, version)
    local id = mark(buffer, HUNKS, first, last)
    local is_behind = first >= vim.api.nvim_buf_line_count(buffer)
    table.insert(placed, { id = hunk.id, mark = id, removed = hunk.removed, is_behind = is_behind })
  end
  if had_removed then
    M.toggle_removed(key)
  end
end

--- Gives where the hunks of an edit are now, from the top down; one whose lines are gone is at one row all the same.
---@param key string Of an edit, see `twospeed.state`.
---@return { hunk: twospeed.PlacedHunk, first: integer, last: integer }[]
function M.places(key)
  local paint, places = painted[key], {}
  for _, hunk in ipairs(paint and paint.hunks or {}) do
    local row, _, details =
      unpack(vim.api.nvim_buf_get_extmark_by_id(paint.buffer, HUNKS, hunk.mark, { details = true }))
    if row and details then
      table.insert(places, { hunk = hunk, first = row, last = math.max(details.end_row, row) + 1 })
    end
  end
  table.sort(places, function(one, other)
    return one.first < other.first
  end)
  return places
end

--- Shows the lines that an edit took away, above what came in their place, or hides them again.
---@param key string Of an edit, see `twospeed.state`.
function M.toggle_removed(key)
  local paint = painted[key]
  if not paint or clear_removed(key) then
    return
  end
  for _, place in ipairs(M.places(key)) do
    local hunk = place.hunk
    if hunk.removed ~= "" then
      local lines = vim.split(hunk.removed:gsub("\r?\n$", ""), "\r?\n")
      vim.api.nvim_buf_set_extmark(paint.buffer, REMOVED, place.first, 0, {
        id = hunk.mark,
        virt_lines = vim.tbl_map(function(line)
          return { { line, "TwospeedRemoved" } }
        end, lines),
        virt_lines_above = not hunk.is_behind,
      })
    end
  end
end

return M
