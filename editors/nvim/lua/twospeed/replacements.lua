--- LSP text edits as changes of a buffer's lines, to the byte.
---
--- `vim.lsp.util.apply_text_edits` of Neovim 0.11 is not used: text that is added behind the last line gets a
--- blank line after it, and a carriage return at a line's end is lost in files whose lines end in both ways.

local M = {}

---@class twospeed.Replacement
---@field first integer
---@field last integer Up to but without this line, or up to a column in it.
---@field columns? [integer, integer] In bytes; none for whole lines, so that marks of the next line stay.
---@field lines string[]

--- Splits at the line ends of the buffer's file format, and of the one it was opened with: the server has lines that
--- were read before `:set fileformat` as they were then. In a file that was always `unix` a carriage return is part of
--- its line.
---@param buffer integer
---@param text string
---@return string[]
local function split(buffer, text)
  local formats = { vim.bo[buffer].fileformat, vim.b[buffer].twospeed_opened_as }
  for _, each in ipairs({ { "dos", "\r\n" }, { "mac", "\r" } }) do
    if vim.list_contains(formats, each[1]) then
      text = text:gsub(each[2], "\n")
    end
  end
  return vim.split(text, "\n", { plain = true })
end

---@param buffer integer
---@param position lsp.Position
---@param encoding twospeed.Encoding
---@return integer column In bytes.
local function column(buffer, position, encoding)
  local line = vim.api.nvim_buf_get_lines(buffer, position.line, position.line + 1, false)[1] or ""
  return vim.str_byteindex(line, encoding, position.character, true)
end

---@param buffer integer
---@param edit lsp.TextEdit
---@param encoding twospeed.Encoding
---@return twospeed.Replacement
local function replacement(buffer, edit, encoding)
  local n_lines = vim.api.nvim_buf_line_count(buffer)
  local start, stop = edit.range.start, edit.range["end"]
  local lines = split(buffer, edit.newText)
  -- For LSP an empty line follows the last line end; for Neovim that is an option, which no edit changes.
  local reaches_end = stop.line == n_lines and vim.bo[buffer].endofline
  assert(stop.line < n_lines or reaches_end, "the range is in the buffer")
  local columns = { column(buffer, start, encoding), column(buffer, stop, encoding) }
  if lines[#lines] == "" and columns[1] == 0 and columns[2] == 0 then
    lines[#lines] = nil
    assert(#lines > 0 or start.line > 0 or not reaches_end, "the buffer keeps a line")
    return { first = start.line, last = stop.line, lines = lines }
  end
  if not reaches_end then
    return { first = start.line, last = stop.line, columns = columns, lines = lines }
  end
  assert(#lines > 1 and lines[#lines] == "", "the last line keeps its line end")
  lines[#lines] = nil
  columns[2] = #vim.api.nvim_buf_get_lines(buffer, -2, -1, true)[1]
  return { first = start.line, last = n_lines - 1, columns = columns, lines = lines }
end

--- Reads edits against a buffer as it stands.
---@param buffer integer
---@param edits lsp.TextEdit[] Sorted and disjoint.
---@param encoding twospeed.Encoding
---@return twospeed.Replacement[]? replacements `nil` where the buffer cannot hold the result.
function M.read(buffer, edits, encoding)
  local is_possible, replacements = pcall(vim.tbl_map, function(edit)
    return replacement(buffer, edit, encoding)
  end, edits)
  return is_possible and replacements or nil
end

--- Changes the buffer, from the bottom up.
---@param buffer integer
---@param replacements twospeed.Replacement[]
function M.make(buffer, replacements)
  for index = #replacements, 1, -1 do
    local each = replacements[index]
    if each.columns then
      local from, to = unpack(each.columns)
      vim.api.nvim_buf_set_text(buffer, each.first, from, each.last, to, each.lines)
    else
      vim.api.nvim_buf_set_lines(buffer, each.first, each.last, true, each.lines)
    end
  end
end

return M
