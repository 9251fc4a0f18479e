--- The client's configuration, found by `vim.lsp.enable("twospeed")`.
--- Yours goes over it: `vim.lsp.config("twospeed", { cmd = { "/path/to/twospeed", "serve", "--stdio" } })`.
--- No file types are listed, so that it serves every file.

---@type vim.lsp.Config
return {
  cmd = { "twospeed", "serve", "--stdio" },
  root_markers = { ".git" },
  capabilities = { experimental = { twospeed = { applyEdit = true, events = true } } },
  handlers = {
    ---@async
    ["twospeed/applyEdit"] = function(_, params, context)
      return require("twospeed.apply_edit").answer(params, context)
    end,
    ["twospeed/editChanged"] = function(_, params, context)
      require("twospeed.state").edit_changed(params, context)
    end,
    ["twospeed/modeChanged"] = function(_, params, context)
      require("twospeed.state").mode_changed(params, context)
    end,
  },
  on_init = function(client)
    require("twospeed.state").ask_for_mode(client)
  end,
}
