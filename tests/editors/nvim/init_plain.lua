--- A Neovim without the plugin: the lines of `editors/README.md`, this server, and an ear for events.

vim.g.loaded_python3_provider = 0 -- the plugin of Python's file type would search for one, for seconds

local function tell(kind, value)
  vim.rpcnotify(0, "event", kind, value or vim.empty_dict())
end

dofile(vim.env.TWOSPEED_README)
vim.lsp.config("twospeed", { cmd = vim.json.decode(vim.env.TWOSPEED_COMMAND) })

if vim.env.TWOSPEED_NEIGHBOUR then
  vim.lsp.config("neighbour", { cmd = vim.json.decode(vim.env.TWOSPEED_NEIGHBOUR), filetypes = { "python" } })
  vim.lsp.enable("neighbour")
end

vim.lsp.handlers["window/showMessage"] = function(_, params)
  tell("message", params.message)
  return vim.NIL
end
vim.api.nvim_create_autocmd("LspAttach", {
  callback = function(given)
    tell("attached", { buffer = given.buf })
  end,
})
vim.notify = function(text)
  tell("complaint", text)
end
vim.keymap.set({ "n", "i", "v" }, "<Plug>(typed)", function()
  tell("typed")
end)
