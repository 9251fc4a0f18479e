--- The server's program: where it is, how it is started again, and what is said where there is none.

local say = require("twospeed.say")

local M = {}

M.INSTALL = "pipx install /path/to/twospeed"

--- Ways to run the server without naming it, the quickest to start first.
local WAYS = {
  { "twospeed" },
  { "uvx", "twospeed" },
  { "pipx", "run", "twospeed" },
}

local has_complained = false

--- Finds a program that can run twospeed.
---@return string[]? command To which its arguments are added.
function M.find()
  for _, way in ipairs(WAYS) do
    if vim.fn.executable(way[1]) == 1 then
      return way
    end
  end
end

--- Gives the command in use: the configuration's own, else the one that is found.
---@return string[]?
function M.command()
  local cmd = vim.lsp.config.twospeed.cmd
  if type(cmd) == "table" then
    return cmd
  end
  local found = M.find()
  return found and vim.list_extend(vim.list_extend({}, found), { "serve", "--stdio" })
end

---@param dispatchers vim.lsp.rpc.Dispatchers
---@return vim.lsp.rpc.PublicClient
function M.start(dispatchers)
  return vim.lsp.rpc.start(assert(M.command(), "no twospeed was found"), dispatchers)
end

--- Lets the server begin for a buffer where there is one, and else says once how to get it.
---@param buffer integer
---@param begin fun(root?: string)
function M.root(buffer, begin)
  if M.command() then
    begin(vim.fs.root(buffer, ".git"))
  elseif not has_complained then
    has_complained = true
    say.warn("the server is not installed; this installs it: " .. M.INSTALL)
  end
end

--- Starts the server again, in every buffer that had it.
function M.restart()
  has_complained = false
  vim.lsp.enable("twospeed", false)
  local function begin()
    vim.lsp.enable("twospeed")
  end
  local left = vim.lsp.get_clients({ name = "twospeed" })
  if #left == 0 then
    begin()
    return
  end
  local timer = vim.defer_fn(begin, 3000) -- one that does not end is left to Neovim
  vim.api.nvim_create_autocmd("User", {
    pattern = "TwospeedGone",
    once = true,
    callback = function()
      timer:stop()
      vim.schedule(begin)
    end,
  })
end

return M
