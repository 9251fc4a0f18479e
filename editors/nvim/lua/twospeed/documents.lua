--- The buffers that are open on the server, by URI and version.

local M = {}

--- Finds the buffer of an open document. Unlike `vim.uri_to_bufnr`, it never creates one.
---@param client vim.lsp.Client
---@param uri string
---@return integer? buffer
function M.buffer(client, uri)
  for buffer in pairs(client.attached_buffers) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.uri_from_bufnr(buffer) == uri then
      return buffer
    end
  end
end

--- Returns the current version of a buffer: 0 after opening, then the tick of its last change.
--- Neovim updates it at once, and sends the change up to 150 ms later.
---@param buffer integer
---@return integer
function M.version(buffer)
  return vim.lsp.util.buf_versions[buffer]
end

--- Sends the changes that Neovim has not sent yet.
--- Neovim 0.11 does this before every request, in a private module; it has no public function for it.
--- If a later version lacks the module, the changes are sent a little later.
---@param client vim.lsp.Client
---@param buffer integer
function M.flush(client, buffer)
  local found, tracking = pcall(require, "vim.lsp._changetracking")
  if found and tracking.flush then
    tracking.flush(client, buffer)
  end
end

return M
