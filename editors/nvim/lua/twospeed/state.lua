--- What each server said last: its mode, and the edits that are under way.

local documents = require("twospeed.documents")

local M = {}

local ICONS = { lightning = "⚡", deep = "🧠" }

---@class twospeed.Edit
---@field buffer integer
---@field mode twospeed.Mode
---@field is_dead boolean Whether the text it was asked for is gone.

---@type table<integer, { mode?: twospeed.Mode, edits: table<string, twospeed.Edit> }> By client.
local servers = vim.defaulttable(function()
  return { edits = {} }
end)

---@type table<integer, true> Buffers whose end is waited for.
local watched = {}

--- Shows what has changed; others may do so on `User TwospeedChanged`.
---@param data table
local function announce(data)
  vim.cmd.redrawstatus({ bang = true })
  vim.api.nvim_exec_autocmds("User", { pattern = "TwospeedChanged", modeline = false, data = data })
end

--- Lets edits die with the text they were asked for. A buffer that is read again from disk keeps its version
--- or goes back to 0, so a shipment that was on its way in that moment would fit by its version.
---@param buffer integer
local function watch(buffer)
  local function bury()
    for _, server in pairs(servers) do
      for _, edit in pairs(server.edits) do
        edit.is_dead = edit.is_dead or edit.buffer == buffer
      end
    end
  end
  if not watched[buffer] then
    watched[buffer] = true
    vim.api.nvim_buf_attach(buffer, false, {
      on_reload = bury,
      on_detach = function()
        watched[buffer] = nil
        bury()
      end,
    })
  end
end

---@param params twospeed.EditChanged
---@param context lsp.HandlerContext
function M.edit_changed(params, context)
  local edits = servers[context.client_id].edits
  local client = vim.lsp.get_client_by_id(context.client_id)
  local buffer = client and documents.buffer(client, params.uri)
  if params.state ~= "queued" and params.state ~= "running" then
    edits[params.editId] = nil
  elseif buffer and not edits[params.editId] then
    edits[params.editId] = { buffer = buffer, mode = params.mode, is_dead = false }
    watch(buffer)
  end
  announce(params)
end

---@param client_id integer
---@param edit_id string
---@return boolean
function M.is_dead(client_id, edit_id)
  local edit = servers[client_id].edits[edit_id]
  return edit ~= nil and edit.is_dead
end

---@param params { mode: twospeed.Mode }
---@param context { client_id: integer }
function M.mode_changed(params, context)
  servers[context.client_id].mode = params.mode
  announce(params)
end

--- Asks for the mode; later the server tells when it changes.
---@param client vim.lsp.Client
function M.ask_for_mode(client)
  client:request("twospeed/status", vim.empty_dict(), function(_, result, context)
    if result then
      M.mode_changed({ mode = result.mode }, context)
    end
  end)
end

---@param buffer integer
---@return string
function M.statusline(buffer)
  local client = vim.lsp.get_clients({ bufnr = buffer, name = "twospeed" })[1]
  if not client then
    return ""
  end
  local server = servers[client.id]
  local parts = { ICONS[server.mode] }
  for _, edit in pairs(server.edits) do
    if edit.buffer == buffer then
      table.insert(parts, ICONS[edit.mode] .. "…")
    end
  end
  return table.concat(parts, " ")
end

return M
