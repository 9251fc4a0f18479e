--- Neovim without the plugin: loads the configuration of `editors/README.md`, and sends events to the test.

vim.g.loaded_python3_provider = 0 -- else the Python file type plugin searches for Python for seconds

local function send(kind, value)
  vim.rpcnotify(0, "event", kind, value or vim.empty_dict())
end

dofile(vim.env.TWOSPEED_README)
vim.lsp.config("twospeed", { cmd = vim.json.decode(vim.env.TWOSPEED_COMMAND) })

if vim.env.TWOSPEED_SECOND_SERVER then
  vim.lsp.config("second-server", { cmd = vim.json.decode(vim.env.TWOSPEED_SECOND_SERVER), filetypes = { "python" } })
  vim.lsp.enable("second-server")
end

vim.lsp.handlers["window/showMessage"] = function(_, params)
  send("message", params.message)
  return vim.NIL
end
vim.api.nvim_create_autocmd("LspAttach", {
  callback = function(given)
    send("attached", { buffer = given.buf })
  end,
})
vim.notify = function(text)
  send("notification", text)
end
vim.keymap.set({ "n", "i", "v" }, "<Plug>(typed)", function()
  send("typed")
end)
