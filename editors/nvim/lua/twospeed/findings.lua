--- What a check of an edit noticed, as diagnostics; a server that publishes them itself is not repeated.

local M = {}

local SPACE = vim.api.nvim_create_namespace("twospeed.findings")

---@param buffer integer
---@param finding twospeed.Finding
---@return boolean
local function is_shown(buffer, finding)
  return vim.iter(vim.diagnostic.get(buffer, { lnum = finding.range.start.line })):any(function(diagnostic)
    return diagnostic.namespace ~= SPACE and diagnostic.message == finding.message
  end)
end

--- Shows the findings of an edit, in the place of those of the edit before.
---@param buffer integer
---@param result twospeed.EditResult
function M.show(buffer, result)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  local shown = {}
  for _, finding in ipairs(result.findings or {}) do
    if not is_shown(buffer, finding) then
      table.insert(shown, {
        lnum = finding.range.start.line,
        col = 0,
        end_lnum = math.max(finding.range["end"].line - 1, finding.range.start.line),
        message = finding.message,
        severity = finding.severity,
        source = "twospeed",
        code = finding.code,
      })
    end
  end
  vim.diagnostic.set(SPACE, buffer, shown)
end

return M
