--- Handles `twospeed/openDocument` and `twospeed/references`: with them the server updates the callers of a definition.

local documents = require("twospeed.documents")

local M = {}

--- Opens a file in a listed buffer, without a window.
---@param params { textDocument: { uri: string } }
---@param context lsp.HandlerContext
---@return table? result
---@return lsp.ResponseError? problem
function M.open(params, context)
  local is_loaded, problem = pcall(function()
    local buffer = vim.uri_to_bufnr(params.textDocument.uri)
    vim.fn.bufload(buffer)
    vim.bo[buffer].buflisted = true
    vim.lsp.buf_attach_client(buffer, context.client_id)
  end)
  if is_loaded then
    return vim.empty_dict()
  end
  return nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.InternalError, tostring(problem))
end

--- Converts a position in a line.
---@param text string
---@param position lsp.Position
---@param from string Encoding.
---@param to string Encoding.
---@return lsp.Position
local function converted(text, position, from, to)
  local byte = vim.str_byteindex(text, from, position.character, false)
  return { line = position.line, character = vim.str_utfindex(text, to, byte, false) }
end

--- Converts the locations of another server to the encoding of ours.
---@param locations lsp.Location[]
---@param from string Encoding.
---@param to string Encoding.
---@return lsp.Location[]
local function converted_locations(locations, from, to)
  return vim.tbl_map(function(item)
    local start =
      { line = item.lnum - 1, character = vim.str_utfindex(item.text, to, math.min(item.col - 1, #item.text), false) }
    return { uri = vim.uri_from_fname(item.filename), range = { start = start, ["end"] = start } }
  end, vim.lsp.util.locations_to_items(locations, from))
end

--- Requests the references of a name from the other servers of its buffer. Runs in the coroutine in which Neovim calls a
--- handler.
---@async
---@param params { textDocument: { uri: string, version: integer }, position: lsp.Position }
---@param context lsp.HandlerContext
---@return lsp.Location[]|vim.NIL
function M.references(params, context)
  local own = assert(vim.lsp.get_client_by_id(context.client_id))
  local buffer = documents.buffer(own, params.textDocument.uri)
  if not buffer or documents.version(buffer) ~= params.textDocument.version then
    return vim.NIL
  end
  local row = params.position.line
  local text = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ""
  local found, n_waiting, handler = {}, 0, assert(coroutine.running())
  for _, other in ipairs(vim.lsp.get_clients({ bufnr = buffer, method = "textDocument/references" })) do
    local is_sent = other.id ~= own.id
      and other:request("textDocument/references", {
        textDocument = { uri = params.textDocument.uri },
        position = converted(text, params.position, own.offset_encoding, other.offset_encoding),
        context = { includeDeclaration = false },
      }, function(_, locations)
        n_waiting = n_waiting - 1
        if type(locations) == "table" then
          vim.list_extend(found, converted_locations(locations, other.offset_encoding, own.offset_encoding))
        end
        if n_waiting == 0 then
          coroutine.resume(handler)
        end
      end, buffer)
    n_waiting = n_waiting + (is_sent and 1 or 0)
  end
  if n_waiting > 0 then
    coroutine.yield()
  end
  return found
end

return M
