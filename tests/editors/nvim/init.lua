--- The only configuration of a tested Neovim: the plugin as anybody would install it, and an ear for events.

vim.g.loaded_python3_provider = 0 -- the plugin of Python's file type would search for one, for seconds
vim.opt.runtimepath:append(vim.env.TWOSPEED_PLUGIN)
vim.opt.statusline = "%{%v:lua.require'twospeed'.statusline()%}"

local function tell(kind, value)
  vim.rpcnotify(0, "event", kind, value or vim.empty_dict())
end

--- Answers a shipment as if the server had sent it.
function _G.answer(params, context)
  coroutine.wrap(function()
    tell("answer", require("twospeed.apply.apply_edit").answer(params, context))
  end)()
end

--- A test may put something here that happens in the moment before the next shipment is looked at.
_G.before_shipment = nil

local take = vim.lsp.config.twospeed.handlers["twospeed/applyEdit"]

vim.lsp.config("twospeed", {
  cmd = vim.json.decode(vim.env.TWOSPEED_COMMAND),
  handlers = {
    ["twospeed/applyEdit"] = function(problem, params, context)
      if _G.before_shipment then
        local happens = _G.before_shipment
        _G.before_shipment = nil
        happens()
      end
      local answer = take(problem, params, context)
      tell("shipment", { seq = params.seq, applied = answer.applied, reason = answer.reason })
      return answer
    end,
  },
})
vim.lsp.enable("twospeed")

if vim.env.TWOSPEED_NEIGHBOUR then
  vim.lsp.config("neighbour", { cmd = vim.json.decode(vim.env.TWOSPEED_NEIGHBOUR), filetypes = { "python" } })
  vim.lsp.enable("neighbour")
end

vim.api.nvim_create_autocmd("LspAttach", {
  callback = function(given)
    tell("attached", { buffer = given.buf, client = given.data.client_id })
  end,
})
vim.api.nvim_create_autocmd("User", {
  pattern = "TwospeedChanged",
  callback = function(given)
    tell(given.data.state and "edit" or "mode", given.data)
  end,
})
vim.api.nvim_create_autocmd({ "CompleteChanged", "ModeChanged" }, {
  callback = function()
    tell("moment", vim.api.nvim_get_mode())
  end,
})
vim.notify = function(text)
  tell("complaint", text)
end
vim.keymap.set({ "n", "i", "v" }, "<Plug>(typed)", function()
  tell("typed")
end)
