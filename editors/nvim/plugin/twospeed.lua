--- The command and the keys. Nothing else is loaded before one of them, or the language server, is used.

if vim.g.loaded_twospeed then
  return
end
vim.g.loaded_twospeed = true

vim.api.nvim_create_user_command("Twospeed", function(given)
  require("twospeed.commands").run(given)
end, {
  desc = "Edit with twospeed: edit, toggle, cancel, accept or reject",
  nargs = "+",
  range = true,
  complete = function(word, line)
    return require("twospeed.commands").complete(word, line)
  end,
})

local TOGGLE = "<Plug>(twospeed-toggle)"

vim.keymap.set({ "n", "x", "i" }, TOGGLE, "<Cmd>Twospeed toggle<CR>", { desc = "Switch twospeed's mode" })
if vim.fn.hasmapto(TOGGLE) == 0 and vim.fn.maparg("<C-S-l>", "n") == "" then
  vim.keymap.set({ "n", "x", "i" }, "<C-S-l>", TOGGLE, { desc = "Switch twospeed's mode" })
end
