" twospeed with ALE: put this into your .vimrc, behind the line that loads ALE.

function! s:Root(buffer) abort
  let l:git = ale#path#FindNearestDirectory(a:buffer, '.git')
  return empty(l:git) ? fnamemodify(bufname(a:buffer), ':p:h') : fnamemodify(l:git, ':p:h:h')
endfunction

for s:language in ['python', 'javascript', 'javascriptreact', 'typescript', 'typescriptreact', 'go', 'rust',
      \            'java', 'c', 'cpp', 'cs', 'ruby', 'php', 'sh', 'lua']
  call ale#linter#Define(s:language, {
        \ 'name': 'twospeed',
        \ 'lsp': 'stdio',
        \ 'executable': 'twospeed',
        \ 'command': '%e serve --stdio',
        \ 'project_root': function('s:Root'),
        \ })
endfor

" Show the messages of the server, such as that an edit is ready.
let g:ale_lsp_show_message_severity = 'information'

nnoremap <leader>a <Cmd>ALECodeAction<CR>
xnoremap <leader>a :ALECodeAction<CR>
