---@meta

--- The messages that this plugin uses; `protocol/README.md` explains them. The server may send more fields.

---@alias twospeed.Mode "lightning"|"deep"|"both"

---@alias twospeed.Encoding "utf-8"|"utf-16"|"utf-32" The unit of a column.

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

---@class twospeed.Hunk
---@field id string
---@field range lsp.Range
---@field removed string

---@class twospeed.AlsoChanged
---@field kind "imports"
---@field range lsp.Range
---@field hunks twospeed.Hunk[]

---@class twospeed.OfferedHunk
---@field id string
---@field range lsp.Range
---@field newText string It would replace the whole lines of the range.

---@class twospeed.Hunks
---@field version integer The version of all ranges.
---@field hunks twospeed.Hunk[]
---@field alsoChanged? twospeed.AlsoChanged[]
---@field offer? { hunks: twospeed.OfferedHunk[] } What the deep model would change.

---@class twospeed.Stats
---@field durationMs? number
---@field linesAdded? integer
---@field linesRemoved? integer

---@class twospeed.EditChanged: twospeed.Hunks
---@field editId string
---@field uri string
---@field state "queued"|"running"|"review"|"ended"
---@field outcome? string
---@field verdict? "accepted"|"rejected"
---@field mode twospeed.Mode
---@field model? string
---@field range? lsp.Range
---@field deep? { state: string } The work of the deep model in mode both.

---@class twospeed.ModeState
---@field mode twospeed.Mode
---@field lightning? { provider: string, model: string }
---@field deep? { provider: string, model: string }

---@class twospeed.NamedScope
---@field kind string
---@field name? string
---@field range lsp.Range

---@class twospeed.Finding
---@field code string
---@field severity integer
---@field message string
---@field range lsp.Range

---@class twospeed.EditResult
---@field editId string
---@field outcome string
---@field reason? { code: string, message: string }
---@field mode twospeed.Mode
---@field model? string
---@field conflicts table[]
---@field findings twospeed.Finding[]
---@field message? string What the model wrote outside its code block.
---@field answer? { text: string, message?: string } The answer of a refused edit.
---@field stats twospeed.Stats
---@field places? twospeed.PlaceResult[]

---@class twospeed.PlaceResult One of the places of an edit.
---@field editId? string Names the place alone.
---@field uri string
---@field range lsp.Range
---@field outcome string
---@field reason? { code: string, message: string }
---@field conflicts table[]
---@field findings twospeed.Finding[]

---@class twospeed.ShownAnswer
---@field editId string
---@field uri string
---@field version integer
---@field range lsp.Range
---@field text string It would replace the range.
---@field message? string What the model wrote outside its code block.
