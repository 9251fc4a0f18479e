--- The command, the keys, and what has to be known from the start. Nothing else is loaded before one of them, or the language server, is used.

if vim.g.loaded_twospeed then
  return
end
vim.g.loaded_twospeed = true

vim.api.nvim_create_user_command("Twospeed", function(given)
  require("twospeed.commands").run(given)
end, {
  desc = "Edit with twospeed: edit, toggle, cancel, accept, reject and more",
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

--- Neovim tells the server nothing of `:set fileformat`, so the format that a buffer was opened with is kept.
vim.api.nvim_create_autocmd("OptionSet", {
  pattern = "fileformat",
  callback = function()
    vim.b.twospeed_opened_as = vim.b.twospeed_opened_as or vim.v.option_old
  end,
})
vim.api.nvim_create_autocmd("BufReadPost", {
  callback = function()
    vim.b.twospeed_opened_as = nil
  end,
})

--- Verbs that are good to have on a key; `:` and not `<Cmd>`, so that a selection is passed on.
local MAPPED = {
  edit = "Edit with twospeed",
  follow = "Follow up on twospeed's newest edit",
  cancel = "Stop twospeed's edit",
  accept = "Accept twospeed's edit",
  reject = "Reject twospeed's edit",
  ["accept-hunk"] = "Accept the hunk of twospeed here",
  ["reject-hunk"] = "Reject the hunk of twospeed here",
  next = "Go to the next hunk of twospeed",
  previous = "Go to the previous hunk of twospeed",
  removed = "Show the lines twospeed took away",
  ["show-answer"] = "Show the answer that twospeed refused",
  ["apply-anyway"] = "Apply the answer that twospeed refused",
}
for verb, desc in pairs(MAPPED) do
  vim.keymap.set({ "n", "x" }, ("<Plug>(twospeed-%s)"):format(verb), (":Twospeed %s<CR>"):format(verb), {
    desc = desc,
    silent = true,
  })
end
