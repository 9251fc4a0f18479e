---@meta

--- The messages this plugin uses, as in `protocol/README.md`; a server may send more fields.

---@alias twospeed.Mode "lightning"|"deep"

---@alias twospeed.Encoding "utf-8"|"utf-16"|"utf-32" What a position counts.

---@class twospeed.ApplyEditParams
---@field editId string
---@field seq integer
---@field textDocument { uri: string, version: integer }
---@field edits lsp.TextEdit[] Sorted and disjoint.
---@field undoStopBefore boolean
---@field undoStopAfter boolean

---@class twospeed.ApplyEditResult
---@field applied boolean
---@field version? integer
---@field reason? "stale"|"readOnly"|"closed"

---@class twospeed.EditChanged
---@field editId string
---@field uri string
---@field state "queued"|"running"|"review"|"ended"
---@field outcome? string
---@field verdict? "accepted"|"rejected"
---@field mode twospeed.Mode

---@class twospeed.EditResult
---@field outcome string
---@field reason? { code: string, message: string }
