--- The command, the keys, and the events to handle from the start. Everything else is loaded on first use.

if vim.g.loaded_twospeed then
  return
end
vim.g.loaded_twospeed = true

vim.api.nvim_create_user_command("Twospeed", function(opts)
  require("twospeed.commands").run(opts)
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

vim.keymap.set("i", "<Plug>(twospeed-suggest)", "<Cmd>Twospeed suggest<CR>", {
  desc = "Request twospeed's suggestion at the cursor, or insert it",
})

--- Neovim does not report `:set fileformat` to the server, so the plugin keeps the format that the server knows.
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

--- The `<Plug>` mappings. They use `:` and not `<Cmd>`, which passes no selection on.
local MAPPED = {
  edit = "Edit with twospeed",
  follow = "Follow up twospeed's newest edit",
  cancel = "Cancel twospeed's edit",
  accept = "Accept twospeed's edit",
  reject = "Reject twospeed's edit",
  ["accept-hunk"] = "Accept twospeed's hunk at the cursor",
  ["reject-hunk"] = "Reject twospeed's hunk at the cursor",
  take = "Take all that twospeed's deep model would change",
  ["take-place"] = "Take what twospeed's deep model would change at the cursor",
  dismiss = "Dismiss all that twospeed's deep model would change",
  ["dismiss-place"] = "Dismiss what twospeed's deep model would change at the cursor",
  next = "Go to twospeed's next hunk",
  previous = "Go to twospeed's previous hunk",
  removed = "Show the lines that twospeed removed",
  mend = "Mend the new problems of twospeed's edit",
  ["show-answer"] = "Show the answer that twospeed refused",
  ["apply-anyway"] = "Apply the answer that twospeed refused",
}
for verb, desc in pairs(MAPPED) do
  vim.keymap.set({ "n", "x" }, ("<Plug>(twospeed-%s)"):format(verb), (":Twospeed %s<CR>"):format(verb), {
    desc = desc,
    silent = true,
  })
end
