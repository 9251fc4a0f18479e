" twospeed with vim-lsp: put this into your .vimrc.

augroup twospeed
  autocmd!
  autocmd User lsp_setup call lsp#register_server({
        \ 'name': 'twospeed',
        \ 'cmd': {server_info -> ['twospeed', 'serve', '--stdio']},
        \ 'allowlist': ['python', 'javascript', 'javascriptreact', 'typescript', 'typescriptreact', 'go', 'rust',
        \               'java', 'c', 'cpp', 'cs', 'ruby', 'php', 'sh', 'lua'],
        \ })
augroup END

nmap <leader>a <Plug>(lsp-code-action)
xnoremap <leader>a :LspCodeAction<CR>
