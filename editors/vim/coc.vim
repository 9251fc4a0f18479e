" Keys for twospeed with coc.nvim: put this into your .vimrc. The server is in coc-settings.json.

nmap <leader>a <Plug>(coc-codeaction-cursor)
xmap <leader>a <Plug>(coc-codeaction-selected)
nnoremap <leader>m <Cmd>call CocAction('runCommand', 'twospeed.toggleMode')<CR>
