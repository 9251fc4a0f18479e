--- Handles `twospeed/applyEdit`: applies all edits of a request at exactly its version, or none.

local documents = require("twospeed.documents")
local marks = require("twospeed.review.marks")
local pending_command = require("twospeed.apply.pending_command")
local replacements = require("twospeed.apply.replacements")
local selection = require("twospeed.apply.selection")
local state = require("twospeed.state")
local undo = require("twospeed.apply.undo")

local M = {}

---@param params twospeed.ApplyEditParams
---@param client_id integer
---@param buffer integer
---@return "closed"|"stale"|"readOnly"? reason Why the edits cannot be applied.
local function rejection(params, client_id, buffer)
  if state.is_stale(client_id, params.editId, buffer) then
    return "closed"
  elseif documents.version(buffer) ~= params.textDocument.version then
    return "stale"
  elseif not vim.bo[buffer].modifiable then
    return "readOnly"
  end
end

---@param buffer integer
---@param params twospeed.ApplyEditParams
---@param encoding twospeed.Encoding
---@param key string The edit key.
---@return boolean is_done
local function change(buffer, params, encoding, key)
  local all = replacements.from_edits(buffer, params.edits, encoding)
  if not all then
    return false
  end
  local is_done, problem = pcall(undo.step, buffer, params, function()
    selection.keep(buffer, function()
      replacements.apply(buffer, all)
    end)
  end)
  if is_done then
    pcall(marks.add_streamed, buffer, key, all) -- the edits are applied even if the marks fail
  end
  if not is_done then
    vim.lsp.log.warn("twospeed/applyEdit", problem)
  end
  return is_done
end

---@async
---@param params twospeed.ApplyEditParams
---@param context lsp.HandlerContext
---@return twospeed.ApplyEditResult
function M.answer(params, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local is_safe = pending_command.wait(documents.buffer(client, params.textDocument.uri))
  local buffer = documents.buffer(client, params.textDocument.uri)
  if not buffer then
    return { applied = false, reason = "closed" }
  end
  local reason = rejection(params, client.id, buffer)
  local key = state.key(client.id, params.editId)
  local encoding = client.offset_encoding --[[@as twospeed.Encoding]]
  local applied = is_safe and not reason and change(buffer, params, encoding, key)
  documents.flush(client, buffer) -- the server waits for the pending changes, whether its edits were applied or not
  return { applied = applied, version = documents.version(buffer), reason = reason }
end

return M
