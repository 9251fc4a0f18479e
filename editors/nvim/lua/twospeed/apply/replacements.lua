--- Applies LSP text edits to a buffer, exact to the byte.
---
--- `vim.lsp.util.apply_text_edits` of Neovim 0.11 has two errors: it adds a blank line after text that is appended to the
--- last line, and it loses a carriage return at the end of a line in files with mixed line ends.

local M = {}

---@class twospeed.Replacement
---@field first integer
---@field last integer Exclusive; with `columns`, the line of the second column.
---@field columns? [integer, integer] In bytes; `nil` for whole lines, so that marks of the next line stay.
---@field lines string[]

--- Splits at the line ends of the buffer's file format, and of the format with which it was opened: after
--- `:set fileformat`, the server still has the old line ends. In a file that was always `unix`, a carriage return is part
--- of its line.
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
  -- In LSP, an empty line follows the last line end. In Neovim, that is the option `endofline`, which no edit changes.
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

--- Converts edits of the current text of a buffer.
---@param buffer integer
---@param edits lsp.TextEdit[] Sorted and disjoint.
---@param encoding twospeed.Encoding
---@return twospeed.Replacement[]? replacements `nil` if the buffer cannot represent the result.
function M.from_edits(buffer, edits, encoding)
  local is_possible, replacements = pcall(vim.tbl_map, function(edit)
    return replacement(buffer, edit, encoding)
  end, edits)
  return is_possible and replacements or nil
end

--- Applies the replacements, last one first: an earlier one does not move it.
---@param buffer integer
---@param replacements twospeed.Replacement[]
function M.apply(buffer, replacements)
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
