--- Buffers as the server sees them: by URI and version, and only as long as it has them open.

local M = {}

--- Finds the buffer of a document that the client has open; unlike `vim.uri_to_bufnr`, makes none.
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

--- Gives the version of a buffer's text as it stands: 0 as opened, then the tick of its last change.
--- Neovim notes it in the moment of the change and may tell the server up to 150 ms later.
---@param buffer integer
---@return integer
function M.version(buffer)
  return vim.lsp.util.buf_versions[buffer]
end

--- Tells the server of changes that Neovim holds back.
--- Neovim 0.11 does so ahead of every request and offers no other way, hence this look at what requests use.
--- Where a later version has it no longer, the server hears of the changes a little later.
---@param client vim.lsp.Client
---@param buffer integer
function M.flush(client, buffer)
  local found, tracking = pcall(require, "vim.lsp._changetracking")
  if found and tracking.flush then
    tracking.flush(client, buffer)
  end
end

return M
